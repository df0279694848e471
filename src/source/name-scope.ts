/**
 * The names declared and used in one part of a source: a function's parameters, its body, a block.
 * Names are matched when the scope closes, so a use before its declaration is local, as in JavaScript.
 */
export class NameScope {
  readonly parent: NameScope | undefined;
  readonly #holdsVariables: boolean;
  readonly #declared = new Set<string>();
  readonly #used = new Set<string>();

  /** `holdsVariables`: whether `var` in this scope or in a block inside of it belongs here. */
  constructor(parent?: NameScope, holdsVariables = false) {
    this.parent = parent;
    this.#holdsVariables = holdsVariables;
  }

  use(name: string): void {
    this.#used.add(name);
  }

  declare(name: string): void {
    this.#declared.add(name);
  }

  declareVariable(name: string): void {
    let scope: NameScope = this;
    while (!scope.#holdsVariables && scope.parent !== undefined) scope = scope.parent;
    scope.declare(name);
  }

  /** The names used but not declared here, in the order of their first use; the parent now uses them. */
  close(): readonly string[] {
    const free = [...this.#used].filter((name) => !this.#declared.has(name));
    for (const name of free) this.parent?.use(name);
    return free;
  }
}
