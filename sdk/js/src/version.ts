/** Form as conventions.md §2 wants it: platform, scope and package of word characters, digits and dots. */
export const clientVersion = 'js @gatebook/js@0.1.0';
