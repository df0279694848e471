import { ModelError } from "../model-error.ts";

/** Larger answers are refused: no reply is, and memory is shared by all conversations. */
export const LARGEST_RESPONSE: number = 10 * 1024 * 1024;

/** The body of a response, of which no more is read than may be. */
export async function bodyBytes(response: Response, name: string): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > LARGEST_RESPONSE) {
      throw new ModelError("bad_response", `${name} sent more than ${LARGEST_RESPONSE / 1024 / 1024} MB.`, {
        statusCode: response.status,
      });
    }
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.byteLength;
  }
  return bytes;
}
