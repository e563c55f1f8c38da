/** Separates name and addresses, so that no text is found across two of them. */
const separator = `E'\\x1f'`;

/** SQL for all addresses of a user. They contain neither quotes nor backslashes, so JSON writes them as they are. */
const addresses = `replace(
  left(substr(jsonb_path_query_array(channels, '$.*.value ? (@ != null)')::text, 3), -2), '", "', ${separator})`;

/**
 * SQL for a text in the form of `search_text`: in lower case, and with a letter that nobody uses for `@`. Trigrams
 * consist of letters and digits, so `x@post.example` would be found by the trigrams of its domain alone.
 */
export const asSearched = (text: string) => `translate(lower(${text}), '@', 'ꙮ')`;

/** SQL for what a search of users looks through. */
export const searchText = asSearched(`coalesce(display_name, '') || ${separator} || ${addresses}`);
