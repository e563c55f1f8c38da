/** Some bundlers replace `process.env.NAME`, but only where it is spelled out. Empty counts as unset. */
function readVariable(read: () => string | undefined): string | undefined {
  try {
    return read() || undefined;
  } catch {
    return undefined; // There is no `process`.
  }
}

/** The same variable under the names of Gatebook and of the protocol's clients, old and new. */
const onServer = (name: string): string | undefined =>
  readVariable(() => ['GATEBOOK', 'HEXCLAVE', 'STACK'].map((prefix) => process.env[`${prefix}_${name}`]).find(Boolean));

const commonUrl = (): string | undefined =>
  readVariable(
    () =>
      process.env.NEXT_PUBLIC_GATEBOOK_API_URL ||
      process.env.NEXT_PUBLIC_HEXCLAVE_API_URL ||
      process.env.NEXT_PUBLIC_STACK_API_URL ||
      process.env.NEXT_PUBLIC_STACK_URL,
  ) ?? onServer('API_URL');

const browserUrl = (): string | undefined =>
  readVariable(
    () =>
      process.env.NEXT_PUBLIC_BROWSER_GATEBOOK_API_URL ||
      process.env.NEXT_PUBLIC_BROWSER_HEXCLAVE_API_URL ||
      process.env.NEXT_PUBLIC_BROWSER_STACK_API_URL,
  ) ?? commonUrl();

/** (protocol, client §4.3). Read when an app is made, not when the module is loaded. */
export const environment = {
  projectId: () =>
    readVariable(
      () =>
        process.env.NEXT_PUBLIC_GATEBOOK_PROJECT_ID ||
        process.env.NEXT_PUBLIC_HEXCLAVE_PROJECT_ID ||
        process.env.NEXT_PUBLIC_STACK_PROJECT_ID,
    ) ?? onServer('PROJECT_ID'),
  publishableClientKey: () =>
    readVariable(
      () =>
        process.env.NEXT_PUBLIC_GATEBOOK_PUBLISHABLE_CLIENT_KEY ||
        process.env.NEXT_PUBLIC_HEXCLAVE_PUBLISHABLE_CLIENT_KEY ||
        process.env.NEXT_PUBLIC_STACK_PUBLISHABLE_CLIENT_KEY,
    ) ?? onServer('PUBLISHABLE_CLIENT_KEY'),
  secretServerKey: () => onServer('SECRET_SERVER_KEY'),
  superSecretAdminKey: () => onServer('SUPER_SECRET_ADMIN_KEY'),
  baseUrl: () =>
    isBrowser()
      ? browserUrl()
      : (readVariable(
          () =>
            process.env.NEXT_PUBLIC_SERVER_GATEBOOK_API_URL ||
            process.env.NEXT_PUBLIC_SERVER_HEXCLAVE_API_URL ||
            process.env.NEXT_PUBLIC_SERVER_STACK_API_URL,
        ) ?? commonUrl()),
  browserUrl,
  extraRequestHeaders: () =>
    readVariable(
      () =>
        process.env.NEXT_PUBLIC_GATEBOOK_EXTRA_REQUEST_HEADERS ||
        process.env.NEXT_PUBLIC_HEXCLAVE_EXTRA_REQUEST_HEADERS ||
        process.env.NEXT_PUBLIC_STACK_EXTRA_REQUEST_HEADERS,
    ),
};

export function isBrowser(): boolean {
  return typeof window !== 'undefined' && typeof globalThis.document?.createElement === 'function';
}
