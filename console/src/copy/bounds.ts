/** Bounds of the copy of the plants that a page has, each with its reason. */
export const bounds = {
  /** 20,000 plants: 7 MB of memory, loaded within a second, and searched within 10 ms a keystroke. */
  plantsMax: 20_000,
  /** Characters of names and tags: names of 1,000 characters must not make these 7 MB ten times as much. */
  charactersMax: 8_000_000,
  /** Plants or changes a request, as many as the service gives. */
  pageSize: 1_000,
  /** Pause after changes, in milliseconds: those that come in quick succession are shown together. */
  gatherMs: 400,
  /** How long changes wait for the responses to writes of this page, in milliseconds, so that these are no news. */
  answerMs: 2_000,
  /** Changes after which the plants are loaded again: half the plants of a full copy. */
  behindMax: 10_000,
};

export type Bounds = Readonly<typeof bounds>;
