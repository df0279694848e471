import type { ReactNode } from "react";
import type { CoverageAnswer, WitnessView } from "../../answers.ts";
import { countedText } from "./figures.tsx";
import { lookOf, VerdictMark } from "./marks.tsx";
import { PlainText } from "./plain-text.tsx";

type NotReachedPart = CoverageAnswer["notReached"][number];

const WORDS = { nodes: "node", edges: "edge", outcomes: "outcome value" } as const;

/** What no conversation reached, with replies that would reach it. */
export function NotReached({
  data,
  onChoose,
}: {
  readonly data: CoverageAnswer;
  readonly onChoose: (part: NotReachedPart) => void;
}): ReactNode {
  const { notReached, problem } = data;
  if (notReached.length === 0 && problem === undefined) return null;
  return (
    <section aria-labelledby="not-reached">
      <h2 id="not-reached">Never reached, by any subject</h2>
      {problem !== undefined && (
        <p className="notice">
          The scenario could not be rehearsed, so that it is not known what can be reached:{" "}
          <PlainText text={problem} />
        </p>
      )}
      <div className="scroll">
        <table className="not-reached">
          <thead>
            <tr>
              <th scope="col">what</th>
              <th scope="col">replies that would reach it</th>
            </tr>
          </thead>
          <tbody>
            {notReached.map((part) => (
              <tr key={`${part.kind} ${part.name} ${part.edge}`}>
                <th scope="row">
                  {part.kind === "outcomes" ? (
                    <PlainText text={part.name.replace("=", " = ")} />
                  ) : (
                    <button type="button" className="plain" onClick={() => onChoose(part)}>
                      {WORDS[part.kind]} <PlainText text={part.name.replace("->", " → ")} />
                    </button>
                  )}
                </th>
                <td className="wrap">
                  <WitnessPath witness={part.witness} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** A conversation that would reach something, in a line. */
function WitnessPath({ witness }: { readonly witness: WitnessView | null }): ReactNode {
  if (witness === null) return <span className="muted">not known</span>;
  const { turns, place, status, isAssumed } = witness;
  return (
    <>
      {place !== "" && (
        <>
          <PlainText text={place} />:{" "}
        </>
      )}
      {turns.map(({ node, reply, verdict }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns are known by their place.
        <span key={index} title={reply}>
          <PlainText text={node} /> <VerdictMark look={lookOf(verdict)} /> →{" "}
        </span>
      ))}
      {status === "completed"
        ? "END"
        : status === "limit_reached"
          ? "turn limit"
          : status.replaceAll("_", " ")}
      {isAssumed && <span className="muted"> (if code in the scenario allows it)</span>}
    </>
  );
}

/** How much was reached, in a few words. */
export function coveredText({ shares }: CoverageAnswer): readonly string[] {
  return shares
    .filter(({ possible }) => possible > 0)
    .map(({ kind, reached, possible }) => `${reached} of ${countedText(possible, WORDS[kind])} reached`);
}
