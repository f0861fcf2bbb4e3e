import type { Json } from '../base/json.ts';

/** A value to compare: a parameter (dotted path), a literal, or a day counted from today (UTC, `YYYY-MM-DD`). */
export type Operand =
  | { readonly param: string }
  | { readonly value: Json }
  | { readonly today: number };

/** When a rule applies: every named parameter has the value, is one of the values, or is present/absent. */
export type Condition = Readonly<
  Record<
    string,
    { readonly equals?: Json; readonly in?: readonly Json[]; readonly present?: boolean }
  >
>;

/** One declarative rule across parameters; exactly one of the checks is given. */
export interface Rule {
  readonly id: string;
  /** Said to the model when the rule is broken: what is wrong and what to send instead. */
  readonly message: string;
  readonly when?: Condition;
  /** Left, operator, right; a comparison with an absent parameter holds. */
  readonly compare?: readonly [Operand, '<' | '<=' | '>' | '>=' | '==' | '!=', Operand];
  /** All of these are present. */
  readonly require?: readonly string[];
  /** None of these is present. */
  readonly forbid?: readonly string[];
  /** Exactly one of these is present. */
  readonly one_of?: readonly string[];
  /** At least one of these is present. */
  readonly any_of?: readonly string[];
}
