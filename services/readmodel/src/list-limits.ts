/** The most that a list without pages answers: enough for old clients, which know no pages there. The rest is left out. */
export const maxListed = 10_000;
