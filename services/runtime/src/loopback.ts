/** Whether a host (as `URL.hostname` writes it, or as one listens on it) leads nowhere but to this machine. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

/** Secrets travel by TLS, or do not leave the machine. Addresses with a user or password in them are not for us. */
export function isSafeUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (username || password) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
