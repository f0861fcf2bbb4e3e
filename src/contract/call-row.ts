/** One finished call or step, as remembered. What looks like a secret in it is taken out before it is kept. */
export interface CallRow {
  /** Unix ms when it began. */
  readonly at: number;
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the composite it is a step of. */
  readonly parentId: string | null;
  readonly conversation: string;
  readonly turn: number;
  readonly caller: string;
  readonly skill: string;
  readonly version: string;
  readonly effect: 'none' | 'read' | 'write';
  readonly ok: boolean;
  readonly code: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly attempts: number;
  /** ms, with fractions. */
  readonly duration: number;
  /** What lay behind a failure: the end of what a program said on stderr, or where a body threw; for its owner, never for a model. */
  readonly cause: string | null;
  /** The cleaned parameters as JSON text on one line, as JSON.stringify writes it. */
  readonly params: string;
}
