interface Visit<T> {
  readonly node: T;
  readonly number: number;
  /** The earliest open visit known to be reachable. */
  low: number;
  open: boolean;
  readonly targets: Iterator<T>;
}

/**
 * The nodes of a graph in groups of those that reach one another, every group after the groups it leads
 * to; any depth of graph, in linear time (Tarjan 1972).
 */
export function strongComponents<T>(nodes: Iterable<T>, targets: (node: T) => Iterable<T>): T[][] {
  const components: T[][] = [];
  const visits = new Map<T, Visit<T>>();
  const open: Visit<T>[] = [];
  const path: Visit<T>[] = [];
  const enter = (node: T): void => {
    const number = visits.size;
    const visit = {
      node,
      number,
      low: number,
      open: true,
      targets: targets(node)[Symbol.iterator](),
    };
    visits.set(node, visit);
    open.push(visit);
    path.push(visit);
  };
  const leave = (visit: Visit<T>): void => {
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) parent.low = Math.min(parent.low, visit.low);
    if (visit.low !== visit.number) return;
    const members: T[] = [];
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      member.open = false;
      members.push(member.node);
      if (member === visit) break;
    }
    components.push(members);
  };
  for (const root of nodes) {
    if (!visits.has(root)) enter(root);
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const target = visit.targets.next();
      const known = target.done === true ? undefined : visits.get(target.value);
      if (target.done === true) leave(visit);
      else if (known === undefined) enter(target.value);
      else if (known.open) visit.low = Math.min(visit.low, known.number);
    }
  }
  return components;
}
