import { isDeepStrictEqual } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { z } from 'zod';
import { schemaFaults } from '../../src/contract/schema/guard.ts';
import { defineSkill } from '../../src/registry/define-skill.ts';
import { checkPointers, Findings, schemaOf, type DialectCase, type Verdict } from './case.ts';
import { checkCall, checkStream } from './check-calls.ts';
import { checkHistory, checkResult } from './check-history.ts';
import { checkSchema } from './check-schema.ts';
import { checkTool, checkToolset } from './check-tools.ts';

/** Things people wrote for people; there is nothing in them to check. */
const REMARKS = ['note', 'prefer_target', 'rest', 'feedback_to_model', 'seen_by', 'before_send'];

/** Holds one case against the compiler, the decoder and the wires. Never throws. */
export function checkCase(given: DialectCase): Verdict {
  const findings = new Findings();
  try {
    const check = CHECKS[given.kind];
    if (check === undefined) findings.faults.push(`unknown kind ${given.kind}`);
    else check(given, findings);
    for (const remark of REMARKS) findings.take(given.expected, remark);
    findings.unknown(given.expected);
  } catch (error) {
    findings.faults.push(`threw ${error instanceof Error ? error.message : String(error)}`);
  }
  const { faults, remarks, dangerous } = findings;
  return { faults, remarks, dangerous };
}

const CHECKS: Readonly<Record<string, (given: DialectCase, findings: Findings) => void>> = {
  schema: checkSchema,
  tool: checkTool,
  toolset: checkToolset,
  call: checkCall,
  stream: checkStream,
  history: checkHistory,
  result: checkResult,
  import: checkImport,
};

function checkImport(given: DialectCase, findings: Findings): void {
  const source = given['zod'];
  if (typeof source !== 'string') {
    const read = schemaOf(given);
    findings.expect(schemaFaults(read).length === 0, 'the schema cannot be used');
    checkPointers(read, given.expected, findings);
    return;
  }
  // The expression comes from the file of cases: it sees zod and nothing else.
  const parameters: unknown = runInContext(source, createContext({ z }), { timeout: 1_000 });
  const { contract } = defineSkill({
    name: 'case.imported',
    version: '1.0.0',
    description: 'Imported.',
    purpose: 'To be imported.',
    side_effect: { kind: 'none' },
    parameters: parameters as never,
    rules: { none: 'a case' },
    execute: () => null,
  });
  const needed = findings.take(given.expected, 'input_schema_required');
  if (needed !== undefined)
    findings.expect(
      isDeepStrictEqual(contract.parameters['required'] ?? [], needed),
      'other names are required',
    );
  checkPointers(contract.parameters, given.expected, findings);
}
