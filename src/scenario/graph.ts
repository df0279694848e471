const NONE = -1;

/** A directed graph over numbers, for walks in linear time and little memory. */
export class Graph {
  readonly #firstEdge: number[];
  readonly #nextEdge: number[] = [];
  readonly #targets: number[] = [];

  constructor(size: number) {
    this.#firstEdge = new Array<number>(size).fill(NONE);
  }

  connect(from: number, to: number): void {
    this.#nextEdge.push(this.#firstEdge[from] as number);
    this.#firstEdge[from] = this.#targets.push(to) - 1;
  }

  forEachTarget(node: number, action: (target: number) => void): void {
    for (let edge = this.#firstEdge[node] as number; edge !== NONE; edge = this.#nextEdge[edge] as number) {
      action(this.#targets[edge] as number);
    }
  }

  /** Marks everything that can be reached from a node, and returns what was new, the node itself first. */
  visit(start: number, seen: boolean[]): number[] {
    const queue = [start];
    seen[start] = true;
    const reach = (target: number): void => {
      if (seen[target]) return;
      seen[target] = true;
      queue.push(target);
    };
    for (let next = 0; next < queue.length; next++) this.forEachTarget(queue[next] as number, reach);
    return queue;
  }
}
