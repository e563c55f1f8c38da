/** Broken connections, and servers that are starting, stopping, full, unavailable or demoted: trying again may help. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  // SQLSTATE: connection exceptions, admin and crash shutdown, too many connections, read-only transaction.
  if (/^(08\w{3}|57P0[1-5]|53300|25006)$/.test(code)) return true;
  if (/^E(CONNRESET|CONNREFUSED|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN)$/.test(code)) return true;
  return /connection (terminated|ended)|not queryable|query read timeout|timeout (exceeded|expired)/i.test(
    error.message,
  );
}
