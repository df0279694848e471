/** A graph whose nodes are numbers. */
interface NumberedGraph {
  readonly size: number;
  readonly entry: number;
  readonly edges: readonly { readonly from: number; readonly to: number }[];
}

/**
 * What is certain about the ways to each node: how many turns there are at least before it, and which nodes every way passes.
 * Takes about linear time (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
 */
export class PathsToNodes {
  readonly #distances: Int32Array;
  /** The nearest node that every way passes before; itself for the entry, -1 if it cannot be reached. */
  readonly #before: Int32Array;
  /** Numbers of the tree that `#before` makes: what lies below a node has the numbers that follow its own. */
  readonly #first: Int32Array;
  readonly #below: Int32Array;

  constructor({ size, entry, edges }: NumberedGraph) {
    const targets = neighbours(size, edges, "from");
    const sources = neighbours(size, edges, "to");
    this.#distances = new Int32Array(size).fill(-1);
    const found = [entry];
    this.#distances[entry] = 0;
    for (const node of found) {
      for (const next of targets[node] ?? []) {
        if (this.#distances[next] !== -1) continue;
        this.#distances[next] = (this.#distances[node] as number) + 1;
        found.push(next);
      }
    }
    const order = postorder(entry, targets, size);
    const position = new Int32Array(size).fill(-1);
    order.forEach((node, index) => {
      position[node] = index;
    });
    this.#before = new Int32Array(size).fill(-1);
    this.#before[entry] = entry;
    for (let changed = true; changed; ) {
      changed = false;
      for (const node of order.toReversed()) {
        if (node === entry) continue;
        let nearest = -1;
        for (const source of sources[node] ?? []) {
          if (this.#before[source] === -1) continue;
          nearest = nearest === -1 ? source : this.#common(source, nearest, position);
        }
        if (this.#before[node] === nearest) continue;
        this.#before[node] = nearest;
        changed = true;
      }
    }
    this.#first = new Int32Array(size).fill(-1);
    this.#below = new Int32Array(size).fill(1);
    for (const node of order)
      if (node !== entry)
        (this.#below[this.#before[node] as number] as number) += this.#below[node] as number;
    const free = new Int32Array(size);
    for (const node of order.toReversed()) {
      const parent = this.#before[node] as number;
      this.#first[node] = node === entry ? 0 : (free[parent] as number);
      if (node !== entry) (free[parent] as number) += this.#below[node] as number;
      free[node] = (this.#first[node] as number) + 1;
    }
  }

  /** The least number of turns before a node is asked; -1 if it cannot be reached. */
  turnsBefore(node: number): number {
    return this.#distances[node] ?? -1;
  }

  /** True if every way to a node passes the other one before. */
  alwaysAfter(node: number, other: number): boolean {
    const [first, own] = [this.#first[other] ?? -1, this.#first[node] ?? -1];
    return first !== -1 && own > first && own < first + (this.#below[other] as number);
  }

  #common(one: number, other: number, position: Int32Array): number {
    let [left, right] = [one, other];
    while (left !== right) {
      while ((position[left] as number) < (position[right] as number)) left = this.#before[left] as number;
      while ((position[right] as number) < (position[left] as number)) right = this.#before[right] as number;
    }
    return left;
  }
}

/** The nodes at the other end of the edges of each node. */
export function neighbours(size: number, edges: NumberedGraph["edges"], by: "from" | "to"): number[][] {
  const lists: number[][] = Array.from({ length: size }, () => []);
  const other = by === "from" ? "to" : "from";
  for (const edge of edges) lists[edge[by]]?.push(edge[other]);
  return lists;
}

function postorder(entry: number, targets: readonly number[][], size: number): readonly number[] {
  const order: number[] = [];
  const seen = new Uint8Array(size);
  seen[entry] = 1;
  const stack: { readonly node: number; next: number }[] = [{ node: entry, next: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const target = targets[top.node]?.[top.next++];
    if (target === undefined) {
      order.push(top.node);
      stack.pop();
    } else if (seen[target] === 0) {
      seen[target] = 1;
      stack.push({ node: target, next: 0 });
    }
  }
  return order;
}

/**
 * The number of the strongly connected component of each node: nodes that can reach each other have the same. Tarjan's algorithm, without
 * recursion; `targets` has the nodes that the edges of each node lead to.
 */
export function components(targets: readonly (readonly number[])[]): readonly number[] {
  const size = targets.length;
  const order = new Array<number>(size).fill(-1);
  const low = new Array<number>(size).fill(0);
  const component = new Array<number>(size).fill(-1);
  const stack: number[] = [];
  let [count, found] = [0, 0];
  for (let root = 0; root < size; root++) {
    if (order[root] !== -1) continue;
    const path: { readonly node: number; next: number }[] = [];
    const enter = (node: number): void => {
      order[node] = low[node] = count++;
      stack.push(node);
      path.push({ node, next: 0 });
    };
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node } = top;
      const target = targets[node]?.[top.next++];
      if (target !== undefined) {
        if (order[target] === -1) enter(target);
        else if (component[target] === -1) low[node] = Math.min(low[node] as number, order[target] as number);
        continue;
      }
      path.pop();
      const above = path.at(-1)?.node;
      if (above !== undefined) low[above] = Math.min(low[above] as number, low[node] as number);
      if (low[node] !== order[node]) continue;
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        component[member] = found;
        if (member === node) break;
      }
      found++;
    }
  }
  return component;
}
