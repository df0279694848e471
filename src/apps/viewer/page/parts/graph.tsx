import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { END } from "../../../../core/scenario/definition.ts";
import type { EdgeTraffic, GraphAnswer, GraphEdge, GraphNode, NodeTraffic } from "../../answers.ts";
import { countText, percentText } from "./figures.tsx";
import { type DrawnEdge, drawGraph, END_SIZE, labelLines, NODE, pathOf } from "./graph-layout.ts";
import { lookOf, VERDICTS } from "./marks.tsx";
import { PlainText } from "./plain-text.tsx";

/** The path of one conversation up to a turn. */
export interface Walked {
  readonly current: string;
  /** The verdict of the last visit of each node. */
  readonly nodes: ReadonlyMap<string, string>;
  readonly edges: ReadonlySet<number>;
}

/** What happened in the graph, of one subject or of two to compare. */
interface GraphTraffic {
  readonly subjects: readonly string[];
  readonly nodes: readonly NodeTraffic[];
  readonly edges: readonly EdgeTraffic[];
}

interface GraphParts {
  readonly graph: GraphAnswer;
  readonly walked?: Walked;
  readonly traffic?: GraphTraffic;
  readonly selected?: { readonly node?: string | undefined; readonly edge?: number | undefined };
  readonly onNode?: (node: string) => void;
  readonly onEdge?: (edge: number) => void;
}

/** Drawn smaller than this, texts cannot be read: a narrow window scrolls instead. */
const LEAST_SCALE = 0.93;
const MOST_SCALE = 1.1;
/** Room for the labels of an edge. */
const LABEL = { width: 400, height: 400 } as const;
/** The room that is left around a drawing, as a share of it. */
const PADDING = 0.02;

/** A scenario as a graph from left to right, with the traffic on it or the path of one conversation. */
export function Graph(parts: GraphParts): ReactNode {
  const { graph, walked, selected } = parts;
  const drawing = useMemo(() => drawGraph(graph), [graph]);
  const box = useRef<HTMLDivElement>(null);
  const [isWhole, setIsWhole] = useState(false);
  const current = walked?.current ?? selected?.node;
  // A drawing that is larger than its box is scrolled to the selected node.
  useEffect(() => {
    const place = current === undefined ? undefined : drawing.nodes.get(current);
    const { current: shown } = box;
    if (place === undefined || shown === null) return;
    const [x, y] = [(place.x + NODE.width / 2) / drawing.width, (place.y + NODE.height / 2) / drawing.height];
    shown.scrollTo(
      x * shown.scrollWidth - shown.clientWidth / 2,
      y * shown.scrollHeight - shown.clientHeight / 2,
    );
  }, [current, drawing]);
  const sized = (scale: number, length: number): number => scale * (1 + 2 * PADDING) * length;
  const least = isWhole ? 0 : LEAST_SCALE;
  const { width, height } = drawing;
  const view = [-PADDING * width, -PADDING * height, sized(1, width), sized(1, height)];
  const end = drawing.nodes.get(END);
  return (
    <>
      <div
        className={`graph ${walked === undefined ? "" : "small"} ${isWhole ? "whole" : ""}`}
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is scrolled with keys.
        tabIndex={0}
      >
        <div
          className="graph-sheet"
          style={{
            aspectRatio: `${width} / ${height}`,
            minWidth: sized(least, width),
            minHeight: sized(least, height),
            maxHeight: sized(MOST_SCALE, height),
          }}
        >
          {/* biome-ignore lint/a11y/useSemanticElements: a set of fields is for forms. */}
          <svg viewBox={view.join(" ")} role="group" aria-label={`graph of ${graph.scenario}`}>
            {drawing.edges.map((drawn) => (
              <ScenarioEdge key={drawn.id} drawn={drawn} parts={parts} />
            ))}
            {drawing.edges.map((drawn) => (
              <EdgeLabels key={drawn.id} drawn={drawn} parts={parts} />
            ))}
            {graph.nodes.map((node) => {
              const place = drawing.nodes.get(node.id);
              return (
                place !== undefined && (
                  <foreignObject key={node.id} {...place} {...NODE}>
                    <ScenarioNode node={node} parts={parts} />
                  </foreignObject>
                )
              );
            })}
            {end !== undefined && (
              <foreignObject {...end} {...END_SIZE}>
                <div className="graph-end">END</div>
              </foreignObject>
            )}
          </svg>
        </div>
      </div>
      <p className="graph-size">
        <button type="button" className="plain" aria-pressed={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "texts in full size" : "the whole graph at once"}
        </button>
      </p>
    </>
  );
}

function ScenarioNode({ node, parts }: { readonly node: GraphNode; readonly parts: GraphParts }): ReactNode {
  const { walked, traffic, selected, graph, onNode } = parts;
  const own =
    traffic?.nodes.filter((one) => one.node === node.id && traffic.subjects.includes(one.subject)) ?? [];
  const visits = own.reduce((sum, one) => sum + one.visits, 0);
  const verdict = walked?.nodes.get(node.id);
  const isUnused = (traffic !== undefined && visits === 0) || (walked !== undefined && verdict === undefined);
  const classes = [
    "graph-node",
    isUnused ? "unused" : "",
    traffic?.subjects.length === 2 ? "pair" : "",
    walked?.current === node.id || selected?.node === node.id ? "current" : "",
    graph.entry === node.id ? "first" : "",
  ];
  const content = (
    <>
      <span className="graph-node-head">
        <strong>
          <PlainText text={node.id} />
        </strong>
        <span className="muted">
          {traffic !== undefined &&
            (traffic.subjects.length === 2
              ? pairText(
                  traffic.subjects.map((subject) => own.find((one) => one.subject === subject)?.visits ?? 0),
                )
              : countText(visits))}
          {walked !== undefined && verdict !== undefined && lookOf(verdict).sign}
        </span>
      </span>
      <span className="graph-node-text">
        <PlainText text={node.question.slice(0, 120)} />
      </span>
      {traffic !== undefined &&
        splitsOf(traffic.subjects, own).map(({ subject, verdicts }) => (
          <VerdictSplit key={subject} verdicts={verdicts} />
        ))}
    </>
  );
  return onNode === undefined ? (
    <div className={classes.join(" ")}>{content}</div>
  ) : (
    <button type="button" className={classes.join(" ")} onClick={() => onNode(node.id)}>
      {content}
    </button>
  );
}

/** The verdicts at a node: of both subjects apart, or of all together. */
function splitsOf(
  subjects: readonly string[],
  own: readonly NodeTraffic[],
): readonly { readonly subject: string; readonly verdicts: readonly NodeTraffic["verdicts"][] }[] {
  if (subjects.length !== 2) return [{ subject: "", verdicts: own.map(({ verdicts }) => verdicts) }];
  return subjects.map((subject) => ({
    subject,
    verdicts: own.filter((one) => one.subject === subject).map(({ verdicts }) => verdicts),
  }));
}

function pairText(counts: readonly number[]): string {
  return counts.map(countText).join(" | ");
}

/** How often the edges that are drawn as one were followed, by subject. */
function hopsOf(edges: readonly GraphEdge[], traffic: GraphTraffic): readonly number[] {
  const wanted = new Set(edges.map(({ edge }) => edge));
  return traffic.subjects.map((subject) =>
    traffic.edges.reduce(
      (sum, one) => (one.subject === subject && wanted.has(one.edge) ? sum + one.hops : sum),
      0,
    ),
  );
}

function visitsOf(node: string, traffic: GraphTraffic): readonly number[] {
  return traffic.subjects.map((subject) =>
    traffic.nodes.reduce(
      (sum, one) => (one.subject === subject && one.node === node ? sum + one.visits : sum),
      0,
    ),
  );
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

interface EdgeParts {
  readonly drawn: DrawnEdge;
  readonly parts: GraphParts;
}

function ScenarioEdge({ drawn, parts }: EdgeParts): ReactNode {
  const { traffic, walked, selected } = parts;
  const hops = traffic === undefined ? [] : hopsOf(drawn.edges, traffic);
  const share = traffic === undefined ? 0 : sum(hops) / Math.max(1, sum(visitsOf(drawn.source, traffic)));
  const isTaken =
    traffic === undefined ? drawn.edges.some(({ edge }) => walked?.edges.has(edge)) : sum(hops) > 0;
  const isSelected = drawn.edges.some(({ edge }) => edge === selected?.edge);
  const width = traffic === undefined ? (isTaken ? 2.5 : 1) : isTaken ? 1 + 7 * share : 1;
  const classes = `graph-edge ${isTaken ? "taken" : "unused"} ${isSelected ? "current" : ""}`;
  return (
    <>
      <path className={classes} d={pathOf(drawn.points)} strokeWidth={width} fill="none" />
      <Arrow points={drawn.points} isTaken={isTaken} />
    </>
  );
}

/** The conditions and counts of edges that are drawn as one, in the middle of a box that is larger than they are. */
function EdgeLabels({ drawn, parts }: EdgeParts): ReactNode {
  const { x, y } = drawn.label;
  const { width, height } = LABEL;
  return (
    <foreignObject
      className="graph-labels"
      x={x - width / 2}
      y={y - height / 2}
      width={width}
      height={height}
    >
      <div className="graph-label">
        {drawn.edges.map((edge) => (
          <EdgeLabel key={edge.edge} edge={edge} parts={parts} onEdge={parts.onEdge} />
        ))}
      </div>
    </foreignObject>
  );
}

function EdgeLabel({
  edge,
  parts,
  onEdge,
}: {
  readonly edge: GraphEdge;
  readonly parts: GraphParts;
  readonly onEdge: ((edge: number) => void) | undefined;
}): ReactNode {
  const { traffic } = parts;
  const lines = labelLines(edge);
  const counts = traffic === undefined ? [] : hopsOf([edge], traffic);
  const whole = traffic === undefined ? [] : visitsOf(edge.source, traffic);
  const isPair = counts.length === 2;
  const shares = counts.map((count, index) =>
    (whole[index] ?? 0) === 0 ? null : count / (whole[index] as number),
  );
  const title = `${edge.condition === "" ? edge.role : edge.condition}${traffic === undefined ? "" : `, taken ${counts.map(countText).join(" and ")} times`}`;
  const content = (
    <>
      {lines.map((line) => (
        <span key={line} className="graph-condition">
          <PlainText text={line} />
        </span>
      ))}
      {traffic !== undefined && (
        <span className={isPair ? differenceClass(shares) : "graph-count"}>
          {isPair
            ? shares.map(percentText).join(" | ")
            : `${countText(sum(counts))}${sum(counts) > 0 ? ` · ${percentText(sum(counts) / Math.max(1, sum(whole)))}` : ""}`}
        </span>
      )}
    </>
  );
  if (lines.length === 0 && traffic === undefined) return null;
  return onEdge === undefined ? (
    <span title={title}>{content}</span>
  ) : (
    <button type="button" title={title} onClick={() => onEdge(edge.edge)}>
      {content}
    </button>
  );
}

/** Shares that differ by more than ten points are coloured. */
function differenceClass([one, other]: readonly (number | null)[]): string {
  const isFar = typeof one === "number" && typeof other === "number" && Math.abs(one - other) > 0.1;
  return isFar ? "graph-count apart" : "graph-count";
}

function Arrow({
  points,
  isTaken,
}: {
  readonly points: DrawnEdge["points"];
  readonly isTaken: boolean;
}): ReactNode {
  const end = points.at(-1);
  const before = points.at(-2);
  if (end === undefined || before === undefined) return null;
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  return (
    <path
      className={`graph-arrow ${isTaken ? "taken" : "unused"}`}
      d="M-8,-4 L0,0 L-8,4"
      transform={`translate(${end.x},${end.y}) rotate(${angle})`}
    />
  );
}

/** How turns were judged, as a thin bar. */
function VerdictSplit({ verdicts }: { readonly verdicts: readonly NodeTraffic["verdicts"][] }): ReactNode {
  const counts = VERDICTS.map((verdict) => verdicts.reduce((sum, one) => sum + (one[verdict] ?? 0), 0));
  const all = counts.reduce((sum, count) => sum + count, 0);
  const words = VERDICTS.flatMap((verdict, index) =>
    (counts[index] ?? 0) > 0 ? [`${countText(counts[index] ?? 0)} ${lookOf(verdict).word}`] : [],
  ).join(", ");
  return (
    <span className="split" role="img" aria-label={words || "no verdicts"} title={words}>
      {VERDICTS.map((verdict, index) => {
        const count = counts[index] ?? 0;
        return count === 0 ? null : (
          <span key={verdict} className={lookOf(verdict).tone} style={{ width: `${(count / all) * 100}%` }} />
        );
      })}
    </span>
  );
}
