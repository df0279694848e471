import type { ReportIssue } from "../schema/issue.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";

/** Reports forks to END alone, and forks that come back to themselves with no condition on the way: they would never end. */
export function validateForks({ numbers, edges }: ScenarioDraft, report: ReportIssue): void {
  const forks = edges.filter(({ arm }) => arm !== undefined);
  if (forks.length === 0) return;
  // Where a condition decides, the way may end.
  const decides = new Set(edges.filter(({ conditional }) => conditional).map(({ from }) => from));
  const targets: number[][] = Array.from({ length: numbers.size }, () => []);
  for (const { from, to } of edges) if (!decides.has(from)) targets[from]?.push(to);
  const component = components(targets);
  const told = new Set<number>();
  for (const { index, from, to } of forks) {
    if (decides.has(from) || told.has(index) || component[from] !== component[to]) continue;
    told.add(index);
    const [node, arm] = [numbers.idOf(from), numbers.idOf(to)];
    report({ code: "unbounded_fork", path: ["edges", index, "fork"], node, arm });
  }
}

/** The number of the strongly connected component of each node: nodes that can reach each other have the same. Linear. */
function components(targets: readonly (readonly number[])[]): readonly number[] {
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
