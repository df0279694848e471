import * as Plot from "@observablehq/plot";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Interval } from "../../../../core/statistics/proportions.ts";

/** The colours of subjects, in order; each also has a dash and a label of its own. */
const COLOURS: readonly string[] = [
  "var(--bar)",
  "var(--second)",
  "var(--right)",
  "var(--error)",
  "var(--unread)",
  "var(--muted)",
];
const DASHES: readonly string[] = ["none", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];

const WIDEST = 620;
const NARROWEST = 320;

/** A point of a line, with its interval if it is known. */
interface LinePoint {
  readonly x: number;
  readonly y: number;
  readonly interval: Interval | null;
}

/** Shares over turns: a line for each subject, with its intervals. */
export function LinePicture({
  title,
  label,
  lines,
  isStepped = false,
  table,
}: {
  readonly title: string;
  readonly label: string;
  readonly lines: readonly { readonly subject: string; readonly points: readonly LinePoint[] }[];
  /** True for shares that stay until the next turn; intervals are then bands. */
  readonly isStepped?: boolean;
  readonly table: ReactNode;
}): ReactNode {
  const names = lines.map(({ subject }) => subject);
  const turns = Math.max(...lines.flatMap(({ points }) => points.map(({ x }) => x)));
  const bounds = lines.flatMap(({ subject, points }) =>
    points.flatMap(({ x, interval }) => (interval === null ? [] : [{ x, subject, ...interval }])),
  );
  const curve = isStepped ? "step-after" : "linear";
  const options = (): Plot.PlotOptions => ({
    x: { label: "turn", ticks: Math.min(12, turns), tickFormat: "d" },
    y: { label, domain: [0, 100], percent: true, grid: true },
    color: scaleOf(names),
    marks: [
      isStepped
        ? Plot.areaY(bounds, {
            ...{ x: "x", y1: "low", y2: "high", z: "subject", curve },
            ...{ fill: "subject", fillOpacity: 0.12 },
          })
        : Plot.link(bounds, {
            ...{ x1: "x", x2: "x", y1: "low", y2: "high" },
            ...{ stroke: "subject", strokeOpacity: 0.6 },
          }),
      ...lines.map(({ points }, index) =>
        Plot.lineY(points, {
          ...{ x: "x", y: "y", curve, stroke: colourOf(index), strokeWidth: 2 },
          strokeDasharray: DASHES[index % DASHES.length] ?? "none",
          ...(isStepped ? {} : { marker: "dot" as const }),
        }),
      ),
      ...endLabels(lines),
    ],
  });
  return <Picture title={title} options={options} table={table} />;
}

function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? "currentColor";
}

/** Names at the ends of lines, moved apart where they would meet. */
function endLabels(
  lines: readonly { readonly subject: string; readonly points: readonly LinePoint[] }[],
): readonly Plot.Markish[] {
  let lowest = -1;
  return lines
    .flatMap(({ subject, points }, index) => {
      const end = points.at(-1);
      return end === undefined ? [] : [{ ...end, subject, fill: colourOf(index) }];
    })
    .sort((one, other) => one.y - other.y)
    .map(({ subject, x, y, fill }) => {
      lowest = Math.max(y * 100, lowest + 5);
      const place = [{ x, y: lowest / 100 }];
      return Plot.text(place, { x: "x", y: "y", text: () => subject, textAnchor: "start", dx: 6, fill });
    });
}

/** A picture made by Plot, with its table and its download. */
export function Picture({
  title,
  options,
  table,
}: {
  readonly title: string;
  readonly options: () => Plot.PlotOptions;
  readonly table: ReactNode;
}): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(WIDEST);
  useEffect(() => {
    // Drawn for the available width: a picture that is scaled down has texts that are too small.
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.round(Math.min(WIDEST, Math.max(NARROWEST, entry?.contentRect.width ?? WIDEST)))),
    );
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const plot = Plot.plot({
      width,
      height: 320,
      marginLeft: 48,
      marginBottom: 40,
      marginRight: 110,
      style: { background: "none", color: "inherit", fontSize: "12px", overflow: "visible" },
      className: "plot",
      ...options(),
    });
    // The page allows no styles but those of its sheet, which has the same rules.
    for (const style of plot.querySelectorAll("style")) style.remove();
    // Screen readers get the name of the picture; its values are in the table.
    for (const part of plot.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", title);
    place.current?.replaceChildren(plot);
  });
  return (
    <section aria-label={title}>
      <div className="section-head">
        <h2>{title}</h2>
        <span className="controls">
          <button type="button" onClick={() => download(place.current, title, "svg")}>
            SVG
          </button>
          <button type="button" onClick={() => download(place.current, title, "png")}>
            PNG
          </button>
        </span>
      </div>
      <div className="picture">
        <div ref={place} className="drawing" />
        {table}
      </div>
    </section>
  );
}

/** A picture for a file, with the colours of the current theme written out, on the page's background. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("style", "background: white; font: 12px system-ui, sans-serif; color: black");
  const text = new XMLSerializer().serializeToString(copy);
  const resolved = (name: string): string => {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };
  return text.replace(/var\((--[a-z-]+)\)/g, (_, name: string) => resolved(name));
}

function download(place: HTMLElement | null, title: string, kind: "svg" | "png"): void {
  const svg = place?.querySelector("svg");
  if (svg === null || svg === undefined) return;
  const name = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.${kind}`;
  const text = standalone(svg as SVGSVGElement);
  if (kind === "svg") {
    save(new Blob([text], { type: "image/svg+xml" }), name);
    return;
  }
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    const scale = 2;
    canvas.width = svg.clientWidth * scale;
    canvas.height = svg.clientHeight * scale;
    const context = canvas.getContext("2d");
    context?.scale(scale, scale);
    context?.drawImage(image, 0, 0, svg.clientWidth, svg.clientHeight);
    canvas.toBlob((blob) => blob !== null && save(blob, name));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A colour for each subject, the same in all pictures. */
export function scaleOf(names: readonly string[]): Plot.ScaleOptions {
  return { domain: [...names], range: [...COLOURS] };
}
