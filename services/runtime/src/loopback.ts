/** Whether a host, as in `URL.hostname` or as a listen address, is only reachable from this machine. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

/** Whether secrets can be sent to a URL: it uses TLS or stays on this machine, and contains no credentials. */
export function isSafeUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (username || password) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
