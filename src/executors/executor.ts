import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../base/json.ts';
import type { ExecutorSpec } from '../contract/contract.ts';
import type { Check, ExecutionContext } from '../contract/execution-context.ts';
import type { Skill } from '../registry/skill.ts';

/** Runs a body once. May throw or reject with anything; the mediator classifies it. */
export type Run = (params: JsonObject, context: ExecutionContext) => unknown;

/** A skill made ready to run: loaded, compiled, nothing left to do per call. */
export interface Prepared {
  readonly run: Run;
  readonly check?: Check;
  /** True when an aborted run settles by itself within milliseconds, because its process or socket is killed. */
  readonly stops: boolean;
}

/** One way in which a body can run (port). */
export interface Executor {
  readonly kind: ExecutorSpec['kind'];
  /** Makes a skill ready; called once per skill version. Throws ToolError with what to do when it cannot. */
  prepare(skill: Skill): Prepared | Promise<Prepared>;
  /** Ends every process and socket it still holds. */
  close?(): Promise<void>;
}

/** Text a process or an HTTP reply gave, not yet parsed: `format` decides what becomes of it. */
export class RawOutput {
  readonly text: string;
  /** False when the bytes were no UTF-8, so that the text is not what was said. */
  readonly intact: boolean;

  constructor(text: string, intact = true) {
    this.text = text;
    this.intact = intact;
  }

  static from(bytes: Buffer): RawOutput {
    const text = bytes.toString();
    return new RawOutput(text, isIntact(text, bytes));
  }
}

/** True when a text is all that the bytes say; only one with replacement characters can be less. */
export function isIntact(text: string, bytes: Buffer): boolean {
  return !text.includes('\uFFFD') || isUtf8(bytes);
}
