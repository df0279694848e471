import { writeOutOutcome } from "../outcomes/short-outcome.ts";
import type { Issue, IssuePath } from "../schema/issue.ts";
import { nearestOf } from "../schema/nearest-name.ts";
import { validateShape } from "../schema/validate-shape.ts";
import { isRecord, type JsonObject, type UnknownRecord } from "../values/json.ts";
import { ANSWER_KEYS, type AnswerParts, type WrittenAnswer, writeAnswer, writtenOptions } from "./answer.ts";
import { asked, COMPANIONS, DYNAMICS, type WrittenDynamic, writeDynamic, writeQuestion } from "./dynamics.ts";
import { ANSWER_SHAPES, answerShape, DYNAMIC_SHAPES, NEXT_SHAPE, VERDICTS } from "./short-shapes.ts";

/** A scenario written out: the long form of the same definition. */
export interface Expansion {
  readonly data: UnknownRecord;
  /** Where in the file a part of the long form was written. */
  readonly origin: (path: IssuePath) => IssuePath;
  readonly issues: readonly Issue[];
}

/** What is known of the text of a scenario. */
interface FileOrder {
  /** The keys of an object in the order of the text. */
  readonly keysAt?: ((path: IssuePath) => readonly string[] | undefined) | undefined;
}

const SCENARIO_KEYS = [...Object.keys(DYNAMIC_SHAPES), ...ANSWER_KEYS];
const NODE_KEYS = ["next", ...ANSWER_KEYS];

/** Writes out the short forms of a scenario; undefined if it has none. */
export function expandScenario(data: UnknownRecord, order: FileOrder = {}): Expansion | undefined {
  const { nodes } = data;
  const isShort =
    SCENARIO_KEYS.some((key) => isSet(data[key])) ||
    (isRecord(nodes) && (!isSet(data.entry) || !isSet(data.edges) || Object.values(nodes).some(isShortNode)));
  return isShort ? new ScenarioExpander(data, order).expand() : undefined;
}

/** Writes out the short form of a node that a builder adds; what has none comes back as it is. */
export function expandNode(
  id: string,
  node: unknown,
): { readonly node: unknown; readonly issues: readonly Issue[] } {
  if (!isShortNode(node)) return { node, issues: [] };
  const { data, issues, origin } = new ScenarioExpander({ nodes: { [id]: node } }, {}).expand();
  const [written] = Object.values(data.nodes as UnknownRecord);
  return { node: written, issues: issues.map((issue) => ({ ...issue, path: origin(issue.path) })) };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isShortNode(node: unknown): boolean {
  if (!isRecord(node)) return typeof node === "string";
  return typeof node.question === "string" || NODE_KEYS.some((key) => isSet(node[key]));
}

interface Mapping {
  readonly long: IssuePath;
  readonly short: IssuePath;
}

class ScenarioExpander {
  readonly #data: UnknownRecord;
  readonly #keysAt: (path: IssuePath) => readonly string[];
  readonly #issues: Issue[] = [];
  readonly #mappings: Mapping[] = [];

  constructor(data: UnknownRecord, { keysAt }: FileOrder) {
    this.#data = data;
    this.#keysAt = (path) => {
      const part = valueAt(data, path);
      const keys = isRecord(part) ? Object.keys(part) : [];
      return [...new Set([...(keysAt?.(path) ?? []).filter((key) => keys.includes(key)), ...keys])];
    };
  }

  expand(): Expansion {
    const shaped = this.#shaped(this.#data, { ...DYNAMIC_SHAPES, ...ANSWER_SHAPES }, []);
    const rest = Object.fromEntries(
      Object.entries(this.#data).filter(([key]) => !SCENARIO_KEYS.includes(key) || this.#isNotShort(key)),
    );
    const data = isSet(this.#data.nodes)
      ? this.#expandNodes(rest, shaped)
      : this.#expandDynamic(rest, shaped);
    return { data, origin: (path) => this.#origin(path), issues: this.#issues };
  }

  /** Keys of files that are short forms only where their value says so. */
  #isNotShort(key: string): boolean {
    return !isSet(this.#data[key]);
  }

  // A graph.

  #expandNodes(rest: UnknownRecord, shaped: UnknownRecord): UnknownRecord {
    const { nodes } = this.#data;
    for (const key of Object.keys(DYNAMIC_SHAPES))
      if (isSet(this.#data[key]))
        this.#report(
          [key],
          `\`${key}\` makes nodes and edges itself and does not stand beside \`nodes\`. \`elenchus check --expand\` prints those of a file with \`${key}\` alone, to change them.`,
        );
    if (!isRecord(nodes)) return rest;
    const ids = this.#nodeOrder(nodes, rest.nodeOrder);
    const written: Record<string, unknown> = {};
    const edges: { edge: JsonObject; path: IssuePath }[] = [];
    const withNext = new Set<string>();
    const [first] = ids;
    for (const id of ids) {
      const node = nodes[id];
      const own = isRecord(node) ? node : {};
      if (isSet(own.next)) {
        withNext.add(id);
        edges.push(...this.#nextEdges(id, own.next));
      }
      written[id] = this.#writeNode(id, node, {
        defaults: shaped,
        isFirst: id === first,
        first: questionOf(nodes[first ?? ""]),
      });
    }
    const isInOrder = withNext.size === 0 && !isSet(this.#data.edges);
    const more = isInOrder
      ? ids
          .slice(1)
          .map((id, index) => ({ edge: { source: ids[index] as string, target: id }, path: ["nodes", id] }))
      : edges;
    return {
      ...rest,
      ...(isSet(rest.entry) || first === undefined ? {} : { entry: first }),
      nodes: written,
      ...this.#withEdges(rest.edges, more, withNext),
    };
  }

  #nodeOrder(nodes: UnknownRecord, nodeOrder: unknown): readonly string[] {
    const named = Array.isArray(nodeOrder) ? nodeOrder.filter((id) => typeof id === "string") : [];
    return [...new Set([...named.filter((id) => Object.hasOwn(nodes, id)), ...this.#keysAt(["nodes"])])];
  }

  #withEdges(
    written: unknown,
    more: readonly { readonly edge: JsonObject; readonly path: IssuePath }[],
    withNext: ReadonlySet<string>,
  ): UnknownRecord {
    if (isSet(written) && !Array.isArray(written)) return {};
    const edges = (written ?? []) as readonly unknown[];
    for (const [index, edge] of edges.entries())
      if (isRecord(edge) && withNext.has(String(edge.source)))
        this.#report(
          ["edges", index],
          `The node ${JSON.stringify(edge.source)} has \`next\`: write all its edges there, or all of them here.`,
        );
    for (const [index, { path }] of more.entries()) this.#map(["edges", edges.length + index], path);
    return edges.length + more.length === 0 ? {} : { edges: [...edges, ...more.map(({ edge }) => edge)] };
  }

  #nextEdges(id: string, next: unknown): { edge: JsonObject; path: IssuePath }[] {
    const path = ["nodes", id, "next"];
    if (!this.#fits(NEXT_SHAPE, next, path)) return [];
    if (typeof next === "string") return [{ edge: { source: id, target: next }, path }];
    if (Array.isArray(next))
      return next.map(({ to, when }, index) => ({
        edge: { source: id, target: to, ...(isSet(when) ? { when } : {}) },
        path: [...path, index],
      }));
    const targets = this.#keysAt(path).map(
      (word) => [word, (next as Readonly<Record<string, string>>)[word] as string] as const,
    );
    const words = targets.map(([word]) => word);
    const isWhole = Object.keys(VERDICTS).every((word) => words.includes(word));
    if (!isWhole && !words.includes("otherwise"))
      this.#report(
        path,
        "Say what comes next for every verdict: `otherwise`, or all of right, wrong and unread.",
      );
    // The last of all verdicts is what is left.
    const fallback = words.includes("otherwise") ? "otherwise" : words.at(-1);
    return targets.map(([word, target]) => ({
      edge: {
        source: id,
        target,
        ...(word === fallback ? {} : { when: { verify_result: VERDICTS[word] as boolean | null } }),
      },
      path: [...path, word],
    }));
  }

  #writeNode(
    id: string,
    node: unknown,
    {
      defaults,
      isFirst,
      first,
    }: { readonly defaults: UnknownRecord; readonly isFirst: boolean; readonly first: string },
  ): unknown {
    const path = ["nodes", id];
    if (typeof node === "string") this.#map([...path, "question", "question"], path);
    else if (!isRecord(node)) return node;
    const { next: _, ...own } = typeof node === "string" ? { question: node } : node;
    const { answer, wrong, otherwise, options, judge, about, ...rest } = own as UnknownRecord;
    const given = this.#shaped({ answer, wrong, otherwise, options, judge, about }, ANSWER_SHAPES, path);
    const hasOwn = isSet(given.answer);
    const { question } = own;
    const isLong = isRecord(question) && (isSet(question.template) || isSet(question.rawAnswer));
    if (isLong && (hasOwn || isSet(given.wrong) || isSet(given.options)))
      this.#report(
        [...path, hasOwn ? "answer" : isSet(given.wrong) ? "wrong" : "options"],
        "The question has a template or reference answer of its own: write one or the other.",
      );
    const isShort =
      typeof question === "string" || ANSWER_KEYS.some((key) => isSet(own[key] ?? defaults[key]));
    if (isLong || !isShort || (isSet(question) && typeof question !== "string" && !isRecord(question)))
      return { ...rest, question };
    const inherited = hasOwn ? { judge: defaults.judge } : defaults;
    const parts: Record<string, unknown> = {};
    const places: Record<string, IssuePath> = {};
    for (const key of ANSWER_KEYS) {
      const value = given[key] ?? inherited[key];
      if (!isSet(value)) continue;
      parts[key] = value;
      places[key] = isSet(given[key]) ? [...path, key] : [key];
    }
    const text =
      typeof question === "string" ? question : isRecord(question) ? String(question.question ?? "") : "";
    const isAsked = hasOwn || isSet(given.options) ? text : first || text;
    const written = this.#write(parts, isAsked, places);
    // Nothing is asked of the reply, and nothing was: a simulated user may write the question.
    if (written.template === undefined && typeof question !== "string" && !isRecord(question))
      return { ...rest };
    const showsOptions =
      parts.options !== undefined && parts.answer !== "none" && (isSet(given.options) || isFirst);
    const shown = showsOptions ? `${text}\n\n${writtenOptions(parts.options)}` : text;
    const { question: __, rawAnswer, metadata, ...more } = asked(shown, written);
    const base = isRecord(question) ? question : {};
    this.#mapAnswer([...path, "question"], places);
    if (typeof node !== "string" && typeof question === "string")
      this.#map([...path, "question", "question"], [...path, "question"]);
    return {
      ...rest,
      question: {
        ...base,
        ...(question === undefined && rest.user !== undefined ? {} : { question: shown }),
        rawAnswer,
        ...more,
        ...(metadata === undefined && base.metadata === undefined
          ? {}
          : {
              metadata: {
                ...(metadata as JsonObject | undefined),
                ...(isRecord(base.metadata) ? base.metadata : {}),
              },
            }),
      },
    };
  }

  /** What is wrong with a template was written in the answer. */
  #mapAnswer(question: IssuePath, places: Readonly<Record<string, IssuePath>>): void {
    const answer = places.answer ?? places.options;
    if (answer === undefined) return;
    this.#map([...question, "template"], answer);
    this.#map([...question, "rawAnswer"], answer);
    const given = valueAt(this.#data, answer);
    const inside = isRecord(given) ? ["number", "date"].find((key) => key in given) : undefined;
    if (inside !== undefined)
      this.#map([...question, "template", "fields", "answer", "truth"], [...answer, inside]);
    const field = [...question, "template", "fields", "answer"];
    for (const [key, ...inField] of [
      ["judge", "hint"],
      ["about", "description"],
      ["wrong", "values"],
      ["otherwise", "extract"],
      ["options", "extract"],
      ["wrong", "extract", "values"],
    ] as const)
      if (places[key] !== undefined && isSet(valueAt(this.#data, places[key])))
        this.#map([...field, ...inField], places[key]);
  }

  // A question, alone or with a dynamic.

  #expandDynamic(rest: UnknownRecord, shaped: UnknownRecord): UnknownRecord {
    const dynamics = DYNAMICS.filter((key) => isSet(this.#data[key]));
    const [dynamic, second] = dynamics;
    for (const key of DYNAMICS)
      if (this.#data[key] === null)
        this.#report(
          [key],
          `\`${key}\` is empty: write each message on a line of its own below it, with "- " in front.`,
        );
    for (const key of ["edges", "entry", "nodeOrder"])
      if (isSet(rest[key]))
        this.#report(
          [key],
          `\`${key}\` does not stand beside \`question\`, which makes nodes and edges itself. Write \`nodes\`; \`elenchus check --expand\` prints them.`,
        );
    if (second !== undefined)
      this.#report(
        [second],
        `A scenario has one of ${DYNAMICS.map((key) => `\`${key}\``).join(", ")}; write another scenario for \`${second}\`.`,
      );
    for (const [key, owners] of Object.entries(COMPANIONS))
      if (isSet(this.#data[key]) && (dynamic === undefined || !owners.includes(dynamic)))
        this.#report(
          [key],
          `\`${key}\` stands beside ${owners.map((owner) => `\`${owner}\``).join(" or ")}.`,
        );
    if (!isSet(shaped.question)) {
      if (!isSet(this.#data.question) && !this.#isMisspelt("question"))
        this.#report([dynamic ?? "answer"], "What is asked? Write the text as `question`.");
      return { ...rest, entry: rest.entry ?? "ask", nodes: { ask: PLACEHOLDER } };
    }
    const hasAnswer = isSet(this.#data.answer) && this.#data.answer !== "none";
    if (dynamic !== undefined && !hasAnswer && !this.#isMisspelt("answer"))
      this.#report([dynamic], `\`${dynamic}\` need an \`answer\` to compare with.`);
    const text = String(shaped.question);
    const parts = Object.fromEntries(
      ANSWER_KEYS.flatMap((key) => (isSet(shaped[key]) ? [[key, shaped[key]]] : [])),
    );
    const places = Object.fromEntries(Object.keys(parts).map((key) => [key, [key]]));
    const write = (other: AnswerParts): WrittenAnswer => this.#write(other, text, places);
    const source = {
      data: shaped,
      parts,
      answer: write(parts),
      // A second answer to the same question repeats the mistakes of the first.
      write: (other: AnswerParts): WrittenAnswer => writeAnswer(other, text, () => {}),
      question: isSet(parts.options) ? `${text}\n\n${writtenOptions(parts.options)}` : text,
      keysAt: (key: string) => this.#keysAt([key]),
      report: (path: IssuePath, message: string) => this.#report(path, message),
    };
    const isUsable = dynamic !== undefined && isSet(shaped[dynamic]) && hasAnswer && isSet(parts.answer);
    const written = isUsable ? writeDynamic(dynamic, source) : writeQuestion(source);
    return this.#fromDynamic(rest, written, places);
  }

  #fromDynamic(
    rest: UnknownRecord,
    { nodes, edges, outcomes, lint }: WrittenDynamic,
    places: Readonly<Record<string, IssuePath>>,
  ): UnknownRecord {
    for (const { id, path } of nodes) {
      this.#map(["nodes", id], path);
      this.#map(["nodes", id, "question", "question"], path);
      this.#mapAnswer(["nodes", id, "question"], places);
    }
    for (const [index, { path }] of edges.entries()) this.#map(["edges", index], path);
    const own = rest.outcomes;
    const names = Object.keys(outcomes);
    for (const name of names) {
      const isTaken = isRecord(own)
        ? Object.hasOwn(own, name)
        : Array.isArray(own) && own.some((outcome) => isRecord(outcome) && outcome.name === name);
      if (isTaken)
        this.#report(
          ["outcomes", name],
          `The short form has an outcome ${JSON.stringify(name)} already; take another name.`,
        );
    }
    if (Array.isArray(own))
      for (const index of own.keys()) this.#map(["outcomes", names.length + index], ["outcomes", index]);
    const given = isRecord(rest.lint) ? rest.lint : {};
    const off = { ...lint, ...(isRecord(given.off) ? given.off : {}) };
    return {
      ...rest,
      entry: "ask",
      nodes: Object.fromEntries(nodes.map(({ id, node }) => [id, node])),
      nodeOrder: nodes.map(({ id }) => id),
      ...(edges.length === 0 ? {} : { edges: edges.map(({ edge }) => edge) }),
      ...(names.length === 0 && own === undefined
        ? {}
        : {
            outcomes: Array.isArray(own)
              ? [...names.map((name) => writeOutOutcome(name, outcomes[name])), ...own]
              : { ...outcomes, ...(own as UnknownRecord | undefined) },
          }),
      ...(isRecord(rest.lint) || rest.lint === undefined
        ? Object.keys(off).length === 0
          ? {}
          : { lint: { ...given, off } }
        : {}),
    };
  }

  #write(parts: AnswerParts, question: string, places: Readonly<Record<string, IssuePath>>): WrittenAnswer {
    return writeAnswer(parts, question, (key, message, more = []) => {
      if (key !== "wrong" || parts.answer !== undefined || !this.#isMisspelt("answer"))
        this.#report([...(places[key] ?? [key]), ...more], message);
    });
  }

  /** The short parts of an object that have their shape. */
  #shaped(
    parts: UnknownRecord,
    shapes: Readonly<Record<string, Parameters<typeof validateShape>[0]>>,
    path: IssuePath,
  ): UnknownRecord {
    const sound: Record<string, unknown> = {};
    for (const [key, shape] of Object.entries(shapes)) {
      const value = parts[key];
      if (!isSet(value)) continue;
      if (this.#fits(key === "answer" ? answerShape(value) : shape, value, [...path, key]))
        sound[key] = value;
    }
    return sound;
  }

  #fits(shape: Parameters<typeof validateShape>[0], value: unknown, path: IssuePath): boolean {
    return validateShape(shape, value, [...path], (issue) => this.#issues.push(issue));
  }

  /** True if an unknown key was probably meant to be this one, which is reported by itself. */
  #isMisspelt(key: string): boolean {
    const known = [...SCENARIO_KEYS, "name", "nodes"];
    return Object.keys(this.#data).some(
      (other) => !known.includes(other) && nearestOf(other, known).nearest === key,
    );
  }

  #report(path: IssuePath, message: string): void {
    this.#issues.push({ code: "invalid_parameter", path, message });
  }

  #map(long: IssuePath, short: IssuePath): void {
    this.#mappings.push({ long, short });
  }

  /** The place of the longest part of a path that was written out, and what follows where the file has it, too. */
  #origin(path: IssuePath): IssuePath {
    let best: Mapping | undefined;
    for (const mapping of this.#mappings)
      if (
        mapping.long.length >= (best?.long.length ?? 0) &&
        mapping.long.every((key, index) => key === path[index])
      )
        best = mapping;
    if (best === undefined) return path;
    const whole = [...best.short, ...path.slice(best.long.length)];
    return valueAt(this.#data, whole) === undefined ? best.short : whole;
  }
}

/** Stands for a question that is missing, which has been reported. */
const PLACEHOLDER = { question: { question: "?", rawAnswer: "" } };

function questionOf(node: unknown): string {
  if (typeof node === "string") return node;
  if (!isRecord(node)) return "";
  return isRecord(node.question) ? String(node.question.question ?? "") : String(node.question ?? "");
}

function valueAt(data: unknown, path: IssuePath): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return value;
}
