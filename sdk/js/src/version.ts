/** The format of conventions.md §2. */
export const clientVersion = 'js @gatebook/js@0.1.0';
