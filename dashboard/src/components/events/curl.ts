export type CurlRequest = {
  url: string;
  method?: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Shows the response as it arrives. */
  isStream?: boolean;
};

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** The shell fills in `$VARIABLES`, so that no secret is copied. */
const quoteHeader = (header: string): string =>
  /\$[A-Z_]+$/.test(header) ? `"${header.replaceAll(/["\\`]/g, '\\$&')}"` : quote(header);

/** A command for a POSIX shell. */
export function curlOf({ url, method = 'GET', headers, body, isStream = false }: CurlRequest): string {
  const start = ['curl', isStream && '-N', method !== 'GET' && `-X ${method}`, quote(url)].filter(Boolean).join(' ');
  const lines = [
    start,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoteHeader(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`  --data-raw ${quote(body)}`]),
  ];
  return lines.join(' \\\n');
}

/** A read with server access. `path` is below `/api/v1`. */
export const curlAsServer = (apiUrl: string, projectId: string, path: string, isStream = false): string =>
  curlOf({
    url: `${apiUrl}/api/v1${path}`,
    headers: {
      'x-stack-access-type': 'server',
      'x-stack-project-id': projectId,
      'x-stack-secret-server-key': '$GATEBOOK_SECRET_SERVER_KEY',
    },
    isStream,
  });
