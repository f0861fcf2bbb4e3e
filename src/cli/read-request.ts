import { text } from 'node:stream/consumers';
import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import { usageError } from './open-library.ts';

const FORM =
  'Send {"toolName":"domain.action","params":{...},"options":{...}} or {"action":"discover"}.';
const PARAMS = 'Send a JSON object, for example \'{"title":"Order paper"}\'.';

/**
 * The request a command line makes: `-` takes the envelope from stdin, anything else is a skill's name.
 * Throws a usage error that says what to send when the input is no envelope.
 */
export async function readRequest(skill: string, params: string | undefined): Promise<JsonObject> {
  if (skill !== '-') {
    const value = params === undefined ? {} : parse(params, 'The parameters are', PARAMS);
    if (!isPlainObject(value)) throw usageError(`The parameters are no JSON object. ${PARAMS}`);
    return { toolName: skill, params: value };
  }
  if (params !== undefined) {
    throw usageError(
      '"call -" takes the parameters from the envelope on stdin; leave the argument out.',
    );
  }
  return readEnvelope();
}

async function readEnvelope(): Promise<JsonObject> {
  if (process.stdin.isTTY) {
    process.stderr.write('Reading an envelope from the terminal; end it with Ctrl-D.\n');
  }
  const input = await text(process.stdin);
  if (input.trim() === '') throw usageError(`stdin is empty. ${FORM}`);
  const request = parse(input, 'stdin is', FORM);
  if (!isPlainObject(request)) throw usageError(`stdin holds no JSON object. ${FORM}`);
  if (Object.hasOwn(request, 'action') && request['action'] !== 'discover') {
    throw usageError(`The only action is "discover". ${FORM}`);
  }
  return request;
}

function parse(input: string, subject: string, advice: string): Json {
  try {
    return JSON.parse(input.replace(/^\uFEFF/, '')) as Json;
  } catch (error) {
    // Only the place: the rest of the parser's message repeats what was sent.
    const place = / at position \d+/.exec(String(error))?.[0] ?? '';
    throw usageError(`${subject} not valid JSON${place}. ${advice}`);
  }
}
