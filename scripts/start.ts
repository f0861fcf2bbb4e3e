import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startLocalService } from '../skills/_service/start-local-service.ts';
import { colorJson } from '../src/cli/color-json.ts';
import { colorsOf } from '../src/cli/colors.ts';
import { logProblems } from '../src/cli/log-problems.ts';
import { onStop } from '../src/cli/on-stop.ts';
import { renderTrace } from '../src/cli/render-trace.ts';
import { createTerminal } from '../src/cli/terminal.ts';
import { readConfig } from '../src/runtime/config.ts';
import { createRuntime } from '../src/runtime/create-runtime.ts';
import type { Runtime } from '../src/runtime/runtime.ts';
import { serveHttp } from '../src/server/mcp/http.ts';

const PORT = 3920;

const HELP = `Usage: npm start [-- <options>]

Loads the sample library, sends the revenue of a region on a day as a PDF (into a local outbox),
shows every step, then serves the skills to MCP clients over HTTP until Ctrl-C.

  --region <name>  whose revenue (default North)
  --day <date>     of which day, YYYY-MM-DD (default yesterday, UTC)
  --once           end after the report
  --port <n>       where to serve (default ${PORT}; a free port when it is taken)
  --help
`;

const colors = colorsOf(process.stdout);
const values = readArguments();

if (values.help) process.stdout.write(HELP);
else process.exitCode = await main();

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        region: { type: 'string', default: 'North' },
        day: { type: 'string', default: yesterday() },
        once: { type: 'boolean', default: false },
        port: { type: 'string', default: String(PORT) },
        help: { type: 'boolean', default: false },
      },
    });
    const port = Number(values.port);
    if (/^\d+$/.test(values.port) && port <= 65_535) return { ...values, port };
    throw new Error(`--port takes a number from 0 to 65535, not ${JSON.stringify(values.port)}.`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return process.exit(2);
  }
}

async function main(): Promise<number> {
  const library = join(import.meta.dirname, '../skills');
  const service = await startLocalService();
  const settings = settingsFor(library, service.url);
  const runtime = await createRuntime({ library, settings, watch: !values.once });
  try {
    const { skills, problems } = runtime.snapshot;
    say(`${skills.length} skills loaded from skills/, working files in ${runtime.dataDir}`);
    logProblems(problems, createTerminal({}));
    if (!(await sendReport(runtime))) return 1;
    if (!values.once) await serve(runtime);
    return 0;
  } finally {
    await runtime.close();
    await service.close();
  }
}

/** The configured skills that call a service, pointed to the one that has just started on a free port. */
function settingsFor(library: string, base: string): Record<string, { base: string }> {
  const { skills } = readConfig(join(library, 'skillwright.config.json'));
  const callers = Object.entries(skills ?? {}).filter(([, { settings }]) => settings?.['base']);
  return Object.fromEntries(callers.map(([name]) => [name, { base }]));
}

/** The worked case: four steps over a database, a PDF and a mail, called by two parameters. */
async function sendReport(runtime: Runtime): Promise<boolean> {
  const skill = 'report.send-daily-revenue';
  const params = { region: values.region, day: values.day };
  say(`\n${colors.bold('Call')}      ${skill} ${JSON.stringify(params)}`);
  const envelope = await runtime.runSkill(skill, params);
  say(`${colors.bold('Envelope')}  ${colorJson(envelope, colors)}`);
  const steps = await runtime.trace(envelope.metadata.traceId);
  if (steps !== undefined) say(`${colors.bold('Steps')}\n${renderTrace(steps, colors)}`);
  if (!envelope.success) return false;
  const { pdf, mail } = envelope.result as { pdf: string; mail: string };
  say(`${colors.bold('PDF')}       ${pdf}\n${colors.bold('Mail')}      ${mail}`);
  return true;
}

async function serve(runtime: Runtime): Promise<void> {
  const { port } = values;
  const { url, close } = await serveHttp(runtime, { port, fallback: true });
  // Before anything is said: who reads it may stop this process at once.
  const stopped = new Promise<void>((resolve) => onStop(resolve));
  if (port !== 0 && Number(new URL(url).port) !== port) {
    say(`\nPort ${port} is in use; a free one was taken.`);
  }
  say(`
${colors.bold('MCP')}       ${colors.cyan(url)} until Ctrl-C. Connect with:
  claude mcp add --transport http skillwright ${url}
  npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list`);
  await stopped;
  say('\nClosing ...');
  await close();
}

function yesterday(): string {
  return new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
