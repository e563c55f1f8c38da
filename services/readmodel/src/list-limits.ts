/** The maximum length of a list or a page. */
export const maxListed = 10_000;
