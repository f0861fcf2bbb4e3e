import type { Json, JsonObject } from '../base/json.ts';

/** Another way to a step's result when the step fails or is slow. */
export interface StepFallback {
  readonly skill?: string;
  /** Parameters for `skill`; the step's own when absent. */
  readonly with?: JsonObject;
  readonly value?: Json;
  /** Also when the step has not answered after this many ms. */
  readonly after?: number;
}

/** One step of a composite. Values under `with` may be runtime expressions (OpenAPI Arazzo 1.0): `$inputs.x`, `$steps.id.outputs#/a/b`, or text with `{$...}` inside. */
export interface Step {
  readonly id: string;
  readonly skill: string;
  readonly with?: JsonObject;
  /** Runs only when this condition holds: `$steps.a.outputs#/n > 0 && $inputs.send == true`. */
  readonly when?: string;
  /** Neighbouring steps marked so run together. */
  readonly parallel?: boolean;
  readonly fallback?: StepFallback;
  /** Undoes the step when a later one fails; with the step's own parameters when `with` is absent. */
  readonly compensate?: { readonly skill: string; readonly with?: JsonObject };
}

/** A composite's fixed order of steps and what it answers; the last step's output when `outputs` is absent. */
export interface Flow {
  readonly steps: readonly Step[];
  readonly outputs?: Json;
}

/** The steps in order, neighbours marked `parallel` together. */
export function stepGroups(steps: readonly Step[]): readonly (readonly Step[])[] {
  const groups: Step[][] = [];
  let open: Step[] | undefined;
  for (const step of steps) {
    if (open !== undefined && step.parallel === true) open.push(step);
    else groups.push((open = [step]));
    if (step.parallel !== true) open = undefined;
  }
  return groups;
}
