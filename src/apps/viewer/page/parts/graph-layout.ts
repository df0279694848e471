import { Graph as LaidGraph, layout } from "@dagrejs/dagre";
import { END } from "../../../../core/scenario/definition.ts";
import type { GraphAnswer, GraphEdge } from "../../answers.ts";

/** The size of a node in the drawing. */
export const NODE = { width: 180, height: 82 } as const;
/** The size of the end of conversations. */
export const END_SIZE = { width: 56, height: 32 } as const;
/** The room over a node for an edge that leads back to it. */
const LOOP = 44;
const LETTER = 7;
/** A condition has two lines of so many letters. */
const MOST_LETTERS = 17;
const MOST_LINES = 2;
const LINE = 17;

/** A point of a drawing. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** Edges between the same nodes are drawn as one. */
export interface DrawnEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly edges: readonly GraphEdge[];
  readonly points: readonly Point[];
  readonly label: Point;
}

/** Where everything stands. */
interface Drawing {
  readonly nodes: ReadonlyMap<string, Point>;
  readonly edges: readonly DrawnEdge[];
  readonly height: number;
  readonly width: number;
}

/** Lays a scenario out from left to right. */
export function drawGraph({ nodes, edges }: GraphAnswer): Drawing {
  const graph = new LaidGraph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 26, edgesep: 18, ranksep: 18, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  const looping = new Set(
    edges.filter(({ source, target }) => source === target).map(({ source }) => source),
  );
  for (const { id } of nodes)
    graph.setNode(id, { width: NODE.width, height: NODE.height + (looping.has(id) ? LOOP : 0) });
  const groups = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    if (edge.target === END && !graph.hasNode(END)) graph.setNode(END, { ...END_SIZE });
    if (!graph.hasNode(edge.source) || !graph.hasNode(edge.target)) continue;
    const key = JSON.stringify([edge.source, edge.target]);
    groups.set(key, [...(groups.get(key) ?? []), edge]);
  }
  const loops: DrawnEdge[] = [];
  for (const [key, group] of groups) {
    const [first] = group;
    // A loop is an arc over its node.
    if (first === undefined || first.source === first.target) continue;
    const lines = group.flatMap((edge) => [...labelLines(edge), COUNT]);
    const letters = Math.max(...lines.map((line) => line.length));
    graph.setEdge(
      first.source,
      first.target,
      { width: letters * LETTER + 20, height: LINE * lines.length, labelpos: "c" },
      key,
    );
  }
  layout(graph);
  const places = new Map<string, Point>();
  for (const id of graph.nodes()) {
    const {
      x = 0,
      y = 0,
      width = 0,
      height = 0,
    } = graph.node(id) as Partial<Point> & {
      width?: number;
      height?: number;
    };
    places.set(id, { x: x - width / 2, y: y - height / 2 + (looping.has(id) ? LOOP : 0) });
  }
  const drawn = graph.edges().map((edge): DrawnEdge => {
    const {
      points = [],
      x = 0,
      y = 0,
    } = graph.edge(edge) as unknown as Partial<Point> & {
      points?: readonly Point[];
    };
    const key = edge.name ?? "";
    const ends = { source: places.get(edge.v), target: places.get(edge.w) };
    return {
      id: key,
      source: edge.v,
      target: edge.w,
      edges: groups.get(key) ?? [],
      points: anchored(points, ends, edge.w === END),
      label: { x, y },
    };
  });
  for (const [key, group] of groups) {
    const [first] = group;
    const place = first === undefined ? undefined : places.get(first.source);
    if (first === undefined || place === undefined || first.source !== first.target) continue;
    loops.push({ id: key, source: first.source, target: first.target, edges: group, ...loopOver(place) });
  }
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { nodes: places, edges: [...drawn, ...loops], width, height };
}

function loopOver({ x, y }: Point): Pick<DrawnEdge, "points" | "label"> {
  const middle = x + NODE.width / 2;
  return {
    points: [
      { x: middle + 50, y },
      { x: middle + 44, y: y - LOOP + 6 },
      { x: middle, y: y - LOOP + 10 },
      { x: middle - 44, y: y - LOOP + 6 },
      { x: middle - 50, y: y - 1 },
    ],
    label: { x: middle, y: y - LOOP + 12 },
  };
}

/** The line begins and ends at the sides of its nodes, also where a loop has made a node taller for the layout. */
function anchored(
  points: readonly Point[],
  { source, target }: { readonly source: Point | undefined; readonly target: Point | undefined },
  isEnd: boolean,
): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || source === undefined || target === undefined)
    return points;
  const size = isEnd ? END_SIZE : NODE;
  if (target.x < source.x + NODE.width) return points;
  const within = (y: number, top: number, height: number): number =>
    Math.min(Math.max(y, top + 10), top + height - 10);
  return [
    { x: source.x + NODE.width, y: within(first.y, source.y, NODE.height) },
    ...points.slice(1, -1),
    { x: target.x, y: within(last.y, target.y, size.height) },
  ];
}

/** Room for a count with its share. */
const COUNT = "12,345 · 99 %";

/** The condition of an edge in a few words, on few lines. */
export function labelLines({ condition, role }: GraphEdge): readonly string[] {
  const text = condition !== "" ? condition : role === "only" ? "" : role;
  const lines: string[] = [];
  // A sign stays with what it is compared with.
  for (const word of text.replace(/ ([=!<>≤≥≠]+) /g, " $1\u00a0").split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= MOST_LETTERS)
      lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  const shown = lines.slice(0, MOST_LINES).filter((line) => line !== "");
  return shown.map((line, place) => {
    const isCut = line.length > MOST_LETTERS || (place === MOST_LINES - 1 && lines.length > MOST_LINES);
    return isCut ? `${line.slice(0, MOST_LETTERS - 1)}…` : line;
  });
}

/** A smooth line through points. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let path = `M${first.x},${first.y}`;
  for (let index = 0; index < rest.length - 1; index++) {
    const point = rest[index] as Point;
    const next = rest[index + 1] as Point;
    const end = index === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    path += ` Q${point.x},${point.y} ${end.x},${end.y}`;
  }
  const last = rest.at(-1);
  return rest.length === 1 && last !== undefined ? `${path} L${last.x},${last.y}` : path;
}
