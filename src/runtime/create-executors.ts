import type { ExecutorSpec } from '../contract/contract.ts';
import type { Executor, Prepared } from '../executors/executor.ts';
import type { Skill } from '../registry/skill.ts';

/** The executors of one runtime: makes skills ready, and ends what runs. */
export interface Executors {
  /** A skill ready to run, made so once per version; rejects with a ToolError when it cannot be. */
  prepare(skill: Skill): Prepared | Promise<Prepared>;
  close(): Promise<void>;
}

/** Opens executors on first need, since importing one (Node's HTTP stack above all) costs more than loading many skills. */
export function createExecutors(allowPrivate: readonly string[]): Executors {
  const open: Readonly<Record<ExecutorSpec['kind'], () => Promise<Executor>>> = {
    module: async () => (await import('../executors/module.ts')).createModuleExecutor(),
    command: async () => (await import('../executors/command.ts')).createCommandExecutor(),
    http: async () => (await import('../executors/http.ts')).createHttpExecutor({ allowPrivate }),
    composite: async () => (await import('../executors/composite.ts')).createCompositeExecutor(),
  };
  const opened = new Map<ExecutorSpec['kind'], Promise<Executor>>();
  const prepared = new WeakMap<Skill, Prepared | Promise<Prepared>>();

  const prepareFirst = async (skill: Skill): Promise<Prepared> => {
    const { kind } = skill.contract.executor;
    let executor = opened.get(kind);
    if (executor === undefined) opened.set(kind, (executor = open[kind]()));
    try {
      const ready = await (await executor).prepare(skill);
      prepared.set(skill, ready);
      return ready;
    } catch (error) {
      // A body that did not load may load next time, once its file is mended.
      prepared.delete(skill);
      throw error;
    }
  };

  return {
    prepare: (skill) => {
      let ready = prepared.get(skill);
      if (ready === undefined) prepared.set(skill, (ready = prepareFirst(skill)));
      return ready;
    },
    close: async () => {
      const executors = await Promise.all(opened.values());
      await Promise.all(executors.map(async (executor) => executor.close?.()));
    },
  };
}
