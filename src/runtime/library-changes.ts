import { canonicalJson, type JsonObject } from '../base/json.ts';
import type { Snapshot } from '../registry/snapshot.ts';

/** What a reload changed, skill by skill: added, removed, or which fields of its contract; `body` when only its files did. */
export function libraryChanges(before: Snapshot, after: Snapshot): readonly JsonObject[] {
  const changes: JsonObject[] = [];
  for (const { contract } of before.skills) {
    if (after.get(contract.name) === undefined)
      changes.push({ skill: contract.name, change: 'removed', from: contract.version });
  }
  for (const skill of after.skills) {
    const { contract } = skill;
    const old = before.get(contract.name);
    if (old === undefined)
      changes.push({ skill: contract.name, change: 'added', to: contract.version });
    else if (old !== skill) {
      const names = new Set([...Object.keys(old.contract), ...Object.keys(contract)]) as Set<
        keyof typeof contract
      >;
      const fields = [...names]
        .filter((name) => canonicalJson(old.contract[name]) !== canonicalJson(contract[name]))
        .sort();
      changes.push({
        skill: contract.name,
        change: 'changed',
        from: old.contract.version,
        to: contract.version,
        fields: fields.length > 0 ? fields : ['body'],
      });
    }
  }
  return changes;
}
