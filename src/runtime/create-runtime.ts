import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Json, JsonObject } from '../base/json.ts';
import type { Policy } from '../contract/contract.ts';
import { monotonicMs } from '../base/clock.ts';
import { resolveDependencies } from '../registry/dependencies.ts';
import { Snapshot, type Problem } from '../registry/snapshot.ts';
import type { Skill } from '../registry/skill.ts';
import type { SkillSource } from '../registry/source.ts';
import { createCodeSource } from '../registry/sources/code.ts';
import { createDirectorySource } from '../registry/sources/directory.ts';
import { createFileSource } from '../registry/sources/file.ts';
import { uniqueSkills } from '../registry/unique-skills.ts';
import { createMemoryStore } from '../store/memory/memory-store.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { invokeSkill, validateCall } from './call.ts';
import { checkRequest } from './check-request.ts';
import { readConfig, type Config } from './config.ts';
import { createServices } from './create-services.ts';
import { describeSkill } from './describe-skill.ts';
import { Library } from './library.ts';
import { libraryChanges } from './library-changes.ts';
import { openDataDir } from './open-data-dir.ts';
import type { Runtime, Validation } from './runtime.ts';
import { createSession, LOCAL_CALLER } from './session.ts';
import { buildTraceTree } from './trace-tree.ts';
import { watchSources } from './watch-sources.ts';

/** What a runtime is made from; at least one of `library` and `skills`. */
export interface RuntimeOptions {
  /** A folder of skills, or a registry file (`.json`). */
  readonly library?: string;
  /** Skills defined in code with `defineSkill`. */
  readonly skills?: readonly Skill[];
  /** Where to remember. Default: a SQLite file in the data folder for a library on disk, memory otherwise. */
  readonly store?: Store;
  /** Folder for working files and the store. Default: $SKILLWRIGHT_DATA_DIR, else `.skillwright` beside the library. */
  readonly dataDir?: string;
  /** Credentials by the name or the environment variable a contract declares; the process's environment comes after. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Settings by skill name, over those of the configuration file. */
  readonly settings?: Readonly<Record<string, JsonObject>>;
  /** Hosts that HTTP skills may reach although their address is private, beside those of the configuration file. */
  readonly allowPrivate?: readonly string[];
  /** Reads the library again when a file of it changes. Default false. */
  readonly watch?: boolean;
}

/**
 * Loads a library and serves its skills. Resolves when every skill is loaded or left out with its problem
 * in `runtime.snapshot.problems`. Rejects with what to do when the options, the configuration or the store
 * cannot be used at all.
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const root = libraryRoot(options);
  const config: Config =
    root === undefined ? {} : readConfig(join(root, 'skillwright.config.json'));
  const data = openDataDir(options.dataDir, root);
  const dataDir = data.path;
  const store = options.store ?? openStore(config, root, dataDir);
  const services = createServices({
    store,
    dataDir,
    secrets: options.secrets ?? {},
    allowPrivate: [...(config.http?.allow ?? []), ...(options.allowPrivate ?? [])],
    invoke: (invocation) => invokeSkill(library, invocation),
    changed: () => library.changed(),
  });
  const library = new Library(services);
  const sources = openSources(options, config);

  const load = async (): Promise<readonly Problem[]> => {
    const loaded = await Promise.all(sources.map((source) => source.load()));
    const { kept: skills, problems } = uniqueSkills(loaded.flatMap((part) => part.skills));
    const { kept, order, problems: unresolved } = resolveDependencies(skills);
    const before = library.snapshot;
    const snapshot = new Snapshot(before.revision + 1, kept, order, [
      ...loaded.flatMap((part) => part.problems),
      ...problems,
      ...unresolved,
    ]);
    services.learn(snapshot);
    const changes = before.revision === 0 ? [] : libraryChanges(before, snapshot);
    if (
      before.revision === 0 ||
      changes.length > 0 ||
      snapshot.problems.length !== before.problems.length
    )
      library.replace(snapshot);
    if (changes.length > 0) await store.audit.append({ at: Date.now(), by: 'reload', changes });
    return snapshot.problems;
  };
  // Two reloads at once could put an older reading of the files in service last.
  let loading: Promise<unknown> = Promise.resolve();
  const reload = (): Promise<readonly Problem[]> => {
    const next = loading.then(load, load);
    loading = next.catch(() => undefined);
    return next;
  };

  let watching: { close(): Promise<void> } | undefined;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    // First of all and at once: nothing may begin from here on.
    const idle = library.close();
    await watching?.close();
    await idle;
    await services.close();
    if (options.store === undefined) await store.close();
    else await store.flush();
    await data.release();
  };
  try {
    await reload();
    if (options.watch === true) watching = watchSources(sources, reload);
  } catch (error) {
    await close();
    throw error;
  }

  const runtime: Runtime = {
    get snapshot() {
      return library.snapshot;
    },
    libraryRoot: root,
    dataDir,
    openSession: async (session) => createSession(library, session),
    listSkills: () => library.visible('all', () => true).map(describeSkill),
    runSkill: (id, params = {}, callOptions) =>
      createSession(library).call({
        toolName: id,
        params,
        ...(callOptions === undefined ? {} : { options: callOptions }),
      }),
    validateSkill: (id, params) => validate(library, id, params),
    trace: async (traceId) => buildTraceTree(await store.calls.list({ traceId, limit: 10_000 })),
    reload,
    onChange: (listener) => library.onChange(listener),
    health: (name) => health(library, name),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => runtime.close(),
  };
  return runtime;
}

function libraryRoot({ library, skills }: RuntimeOptions): string | undefined {
  if (library === undefined) {
    if (skills === undefined)
      throw new TypeError(
        'createRuntime needs a library folder, a registry file, or skills defined in code.',
      );
    return undefined;
  }
  const path = resolve(library);
  if (!existsSync(path))
    throw new Error(
      `The library ${library} does not exist. Check the path, or create it with "skillwright new skill <domain.action>".`,
    );
  return statSync(path).isDirectory() ? path : dirname(path);
}

function openStore(config: Config, root: string | undefined, dataDir: string): Store {
  if (config.store === 'none') return withoutCalls(createMemoryStore());
  if (config.store === 'memory' || (config.store === undefined && root === undefined))
    return createMemoryStore();
  return openSqliteStore({ file: resolve(dataDir, config.store ?? 'store.db') });
}

/** Off by name: writes are still journalled while the process lives. */
function withoutCalls({ record: _record, ...store }: Store): Store {
  return store;
}

function openSources(options: RuntimeOptions, config: Config): readonly SkillSource[] {
  const configure = (
    name: string,
  ): { defaults: JsonObject; settings: JsonObject; policy?: Policy } => {
    const { defaults = {}, settings = {}, policy } = config.skills?.[name] ?? {};
    return {
      defaults,
      settings: { ...settings, ...options.settings?.[name] },
      ...(policy === undefined ? {} : { policy }),
    };
  };
  const sources: SkillSource[] = [];
  if (options.library !== undefined) {
    const path = resolve(options.library);
    sources.push(
      statSync(path).isDirectory()
        ? createDirectorySource(path, { configure })
        : createFileSource(path, { configure }),
    );
  }
  if (options.skills !== undefined) sources.push(createCodeSource(options.skills, { configure }));
  return sources;
}

async function validate(library: Library, id: string, params: JsonObject): Promise<Validation> {
  const state = {
    conversation: 'validation',
    caller: LOCAL_CALLER,
    readOnly: false,
    turn: { number: 1, readOnly: false, writes: 0 },
  };
  const request = checkRequest({ toolName: id, params });
  const { outcome, warnings } =
    'code' in request
      ? { outcome: { ok: false as const, error: request }, warnings: [] }
      : await validateCall(library, state, request);
  if (outcome.ok) return { valid: true, params: outcome.value as JsonObject, warnings };
  const { code, message, details } = outcome.error;
  return { valid: false, error: { code, message, ...(details === undefined ? {} : { details }) } };
}

function health(library: Library, name: string): Json {
  const skill = library.snapshot.get(name);
  return skill === undefined ? null : { ...library.services.circuit(skill).state(monotonicMs()) };
}
