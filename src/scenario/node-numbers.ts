/**
 * Numbers for node ids, so that each is looked up once and the graph is walked over plain arrays. Nodes come first, in
 * order; an id that an edge names and no node has gets a number after them.
 */
export class NodeNumbers {
  readonly nodeCount: number;
  readonly #numbers = new Map<string, number>();
  readonly #ids: string[] = [];

  constructor(nodeIds: readonly string[]) {
    for (const id of nodeIds) this.of(id);
    this.nodeCount = this.#ids.length;
  }

  /** How many ids there are, those of nodes and others. */
  get size(): number {
    return this.#ids.length;
  }

  of(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#numbers.set(id, this.#ids.length);
    return this.#ids.push(id) - 1;
  }

  idOf(number: number): string {
    return this.#ids[number] as string;
  }

  /** The number of a node, or undefined for an id that no node has. */
  ofNode(id: string): number | undefined {
    const number = this.#numbers.get(id);
    return number !== undefined && number < this.nodeCount ? number : undefined;
  }

  isNode(number: number): boolean {
    return number < this.nodeCount;
  }
}
