import type { Json, JsonObject } from '../base/json.ts';
import { compileCondition } from '../contract/condition.ts';
import type { Contract } from '../contract/contract.ts';
import { compileTemplate, type ExpressionScope } from '../contract/expression.ts';
import { flowFaults } from '../contract/flow-check.ts';
import { stepGroups, type Flow, type Step } from '../contract/flow.ts';
import { ToolError } from '../contract/tool-error.ts';

/** A flow made ready to run. */
export interface FlowPlan {
  /** In order; the steps of one group run together. */
  readonly groups: readonly (readonly PlannedStep[])[];
  readonly outputs: (scope: ExpressionScope) => Json;
}

/** A step made ready to run. */
export interface PlannedStep {
  readonly id: string;
  readonly skill: string;
  readonly holds: (scope: ExpressionScope) => boolean;
  readonly params: (scope: ExpressionScope) => JsonObject;
  readonly fallback: PlannedFallback | undefined;
  readonly compensate: PlannedCall | undefined;
}

interface PlannedCall {
  readonly skill: string;
  /** The step's own parameters when absent. */
  readonly params: ((scope: ExpressionScope) => JsonObject) | undefined;
}

/** What answers in a step's place: a call, or else the value. */
export interface PlannedFallback {
  readonly call: PlannedCall | undefined;
  readonly value: Json;
  /** ms. */
  readonly after: number | undefined;
}

/** Compiles a flow once for all its runs. Throws ToolError INTERNAL_ERROR with everything that is wrong with it. */
export function planFlow(flow: Flow, contract: Contract): FlowPlan {
  const faults = flowFaults(flow, contract);
  if (faults.length > 0) throw new ToolError('INTERNAL_ERROR', faults.join(' '));
  const last = flow.steps.at(-1)?.id ?? '';
  return {
    groups: stepGroups(flow.steps).map((group) => group.map(planStep)),
    outputs:
      flow.outputs === undefined
        ? ({ steps }) => steps?.[last]?.outputs ?? null
        : compileTemplate(flow.outputs),
  };
}

function planStep({ id, skill, when, fallback, compensate, with: params = {} }: Step): PlannedStep {
  return {
    id,
    skill,
    holds: when === undefined ? () => true : compileCondition(when),
    params: compileTemplate(params),
    fallback: fallback && {
      call: planCall(fallback.skill, fallback.with),
      value: fallback.value ?? null,
      after: fallback.after,
    },
    compensate: planCall(compensate?.skill, compensate?.with),
  };
}

function planCall(skill: string | undefined, params?: JsonObject): PlannedCall | undefined {
  return skill === undefined ? undefined : { skill, params: params && compileTemplate(params) };
}
