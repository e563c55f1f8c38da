/** The maximum length of lists without pages. Old clients know no pages there, so the rest is left out. */
export const maxListed = 10_000;
