/**
 * Answers for conditions that cannot be run. What depends on them is done once for each way in which they may answer: the first time
 * every answer is false, then one after the other is true.
 */
export class Oracle {
  #answers: readonly boolean[] = [];
  #asked: number[] = [];

  /** A condition whose answer is tried both ways. */
  condition(edge: number): () => boolean {
    return () => {
      this.#asked.push(edge);
      return this.#answers[this.#asked.length - 1] ?? false;
    };
  }

  /** Begins anew: to be called first by work that is done with its answers. */
  start(): void {
    this.#asked = [];
  }

  /** From now on every answer is false. */
  silence(): void {
    this.#answers = [];
    this.#asked = [];
  }

  /**
   * Does some work with every combination of answers. The work must be pure. `isAssumed` is true of results that depend on an answer.
   */
  async each<Result>(
    work: () => Result | Promise<Result>,
  ): Promise<readonly { readonly result: Result; readonly isAssumed: boolean }[]> {
    const results: { result: Result; isAssumed: boolean }[] = [];
    const open: (readonly boolean[])[] = [[]];
    for (let answers = open.pop(); answers !== undefined; answers = open.pop()) {
      this.#answers = answers;
      this.start();
      let result = work();
      if (result instanceof Promise) result = await result;
      const asked = this.#asked.length;
      results.push({ result, isAssumed: asked > 0 });
      // Each later question that was answered with false may have been answered with true.
      for (let position = answers.length; position < asked; position++)
        open.push([...answers, ...Array(position - answers.length).fill(false), true]);
    }
    return results;
  }
}
