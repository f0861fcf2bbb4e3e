import type { Json } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import type { Codec } from './codec.ts';

/** How the calls of one compiled tool are read. Pure, and never throws. */
export interface DecodePlan extends Codec {
  /** The skill's name. */
  readonly skill: string;
  readonly contract: Contract;
}

const AS_IS: Codec = { restore: (sent: Json) => sent, spell: (value: Json) => value };

/** The plan of a tool whose values are spelled by `codec`, or as they are. */
export function decodePlan(contract: Contract, codec: Codec | undefined): DecodePlan {
  const { restore, spell } = codec ?? AS_IS;
  return { skill: contract.name, contract, restore, spell };
}
