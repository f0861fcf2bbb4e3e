import type { Json, JsonObject } from '../base/json.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import type { StepState } from '../contract/expression.ts';
import type { Flow } from '../contract/flow.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { Executor } from './executor.ts';
import { planFlow, type FlowPlan, type PlannedFallback, type PlannedStep } from './flow-plan.ts';
import { createModuleExecutor, loadCheck } from './module.ts';

/** What the mediator gives a composite beside the usual context. */
export interface CompositeContext extends ExecutionContext {
  /** Tells that part of the result came from a fallback. */
  markStale(): void;
  /** As `invoke`, and whether the step's own skill answered by its fallback. */
  step(
    skill: string,
    params: JsonObject,
  ): Promise<{ readonly value: Json; readonly stale: boolean }>;
  /** Calls a declared dependency to undo a step: past the deadline and the write budget, too. */
  compensate(skill: string, params: JsonObject): Promise<unknown>;
}

interface FlowRun {
  readonly context: CompositeContext;
  readonly scope: { readonly inputs: JsonObject; readonly steps: Record<string, StepState> };
  /** Steps whose own skill has answered, in the order of their answers. */
  readonly finished: { readonly step: PlannedStep; readonly params: JsonObject }[];
  failed: PlannedStep | undefined;
}

/**
 * Runs skills made of steps: a flow, or code that calls `context.invoke`. A flow that fails undoes its
 * finished steps, last first, and throws the failed step's error with what was undone in its details.
 */
export function createCompositeExecutor(): Executor {
  const modules = createModuleExecutor();
  return {
    kind: 'composite',
    async prepare(skill) {
      if (skill.flow === undefined) return modules.prepare(skill);
      const plan = planFlow(skill.flow, skill.contract);
      const check = await loadCheck(skill);
      return {
        run: (inputs, context) => runFlow(plan, inputs, context as CompositeContext),
        stops: false,
        ...(check === undefined ? {} : { check }),
      };
    },
  };
}

/** How many writes the steps of a flow make, conditions left aside and compensations not counted. */
export function writeStepCount(flow: Flow, writesOf: (skill: string) => number): number {
  return flow.steps.reduce((sum, { skill }) => sum + writesOf(skill), 0);
}

async function runFlow(
  plan: FlowPlan,
  inputs: JsonObject,
  context: CompositeContext,
): Promise<Json> {
  const run: FlowRun = { context, scope: { inputs, steps: {} }, finished: [], failed: undefined };
  try {
    for (const group of plan.groups) {
      throwIfOver(context);
      await runGroup(group, run);
    }
    // The caller has been told by now that the call failed, so nothing of it may stand.
    throwIfOver(context);
    return plan.outputs(run.scope);
  } catch (error) {
    throw await undo(coded(error), run);
  }
}

async function runGroup(group: readonly PlannedStep[], run: FlowRun): Promise<void> {
  const settled = await Promise.allSettled(group.map((step) => runStep(step, run)));
  for (const [index, result] of settled.entries()) {
    if (result.status === 'fulfilled') continue;
    run.failed = group[index];
    throw coded(result.reason);
  }
}

async function runStep(step: PlannedStep, run: FlowRun): Promise<void> {
  const { scope, context } = run;
  if (!step.holds(scope)) {
    scope.steps[step.id] = { outputs: undefined, stale: false };
    return;
  }
  const params = step.params(scope);
  const answer = context.step(step.skill, params);
  const instead = step.fallback && (await fallBack(answer, step.fallback, { params, run }));
  if (instead === undefined) {
    const { value, stale } = await answer;
    scope.steps[step.id] = { outputs: value, stale };
    run.finished.push({ step, params });
  } else {
    scope.steps[step.id] = { outputs: instead, stale: true };
    context.markStale();
  }
}

/** What the fallback gives; undefined where the step's own answer counts, or its failure. */
async function fallBack(
  answer: Promise<unknown>,
  { call, value, after }: PlannedFallback,
  { params, run: { scope, context } }: { readonly params: JsonObject; readonly run: FlowRun },
): Promise<Json | undefined> {
  if ((await succeedsWithin(answer, after)) || context.signal.aborted) return undefined;
  if (call === undefined) return structuredClone(value);
  // A fallback that fails as well leaves a slow step its time to answer.
  return context.step(call.skill, call.params?.(scope) ?? params).then(
    (given) => given.value,
    () => undefined,
  );
}

/** Whether the promise is fulfilled within so many ms; however it ends later, its failure counts as seen. */
async function succeedsWithin(answer: Promise<unknown>, ms: number | undefined): Promise<boolean> {
  const success = answer.then(
    () => true,
    () => false,
  );
  if (ms === undefined) return success;
  const { promise: slow, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  return Promise.race([success, slow]).finally(() => clearTimeout(timer));
}

/** Undoes what is finished, last first, each once; returns the error to throw. */
async function undo(
  error: ToolError,
  { finished, failed, context, scope }: FlowRun,
): Promise<ToolError> {
  const compensated: string[] = [];
  const standing: { step: string; skill: string; code: string; message: string }[] = [];
  for (const { step, params } of finished.toReversed()) {
    if (step.compensate === undefined) continue;
    const { skill, params: fill } = step.compensate;
    try {
      await context.compensate(skill, fill?.(scope) ?? params);
      compensated.push(step.id);
    } catch (cause) {
      const { code, message } = coded(cause);
      standing.push({ step: step.id, skill, code, message });
    }
  }
  const inner = error.details?.['compensation_failed'];
  const open = [...(Array.isArray(inner) ? inner : []), ...standing];
  const message = [
    failed === undefined
      ? error.message
      : `Step ${failed.id} (${failed.skill}) failed: ${error.message}`,
    ...standing.map(({ step, skill }) => `Step ${step} is done and ${skill} could not undo it.`),
  ];
  return new ToolError(error.code, message.join(' '), {
    details: {
      ...error.details,
      ...(failed === undefined ? {} : { step: failed.id, skill: failed.skill }),
      compensated,
      ...(open.length === 0 ? {} : { compensation_failed: open }),
    },
    retryable: error.retryable && open.length === 0,
    cause: error,
  });
}

function coded(error: unknown): ToolError {
  if (ToolError.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ToolError('INTERNAL_ERROR', message, { cause: error });
}

function throwIfOver({ signal }: ExecutionContext): void {
  if (!signal.aborted) return;
  throw new ToolError('TIMEOUT', 'The call ended before all its steps were done.', {
    details: { reason: 'deadline' },
    cause: signal.reason,
  });
}
