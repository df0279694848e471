/** The id of a row that has none of its own, from the hash of its content; rows with the same content are numbered. */
export function contentRowId(hash: string, occurrence: number): string {
  const id = `row-${hash.slice(0, 16)}`;
  return occurrence === 1 ? id : `${id}-${occurrence}`;
}

const CONTENT_ID = /^row-[0-9a-f]{16}(-\d+)?$/;

/** True for an id that was made from the content. */
export function isContentId(id: string): boolean {
  return CONTENT_ID.test(id);
}
