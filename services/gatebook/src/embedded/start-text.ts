type Started = {
  publicUrl: string;
  dataDir: string;
  setupToken: string | null;
  hasInbox: boolean;
  standInUrl: string | null;
};

/** The block that a start prints: where everything is, and what to do next. */
export function describeStart({ publicUrl, dataDir, setupToken, hasInbox, standInUrl }: Started): string {
  const next =
    setupToken === null
      ? `Sign in at ${publicUrl}`
      : `Make the first owner: ${publicUrl}/setup?token=${setupToken}\n               (this link works once, for a day; another start prints another)`;
  return [
    '',
    'Gatebook is running.',
    '',
    `  Dashboard    ${publicUrl}`,
    `  API          ${publicUrl}/api/v1`,
    `  Reference    ${publicUrl}/docs`,
    ...(hasInbox ? [`  Inbox        ${publicUrl}/inbox   (mails stay here; GATEBOOK_SMTP_URL sends them)`] : []),
    ...(standInUrl
      ? [`  Providers    a stand-in for development at ${standInUrl}   (GATEBOOK_SHARED_OAUTH_… sets real keys)`]
      : []),
    `  Data         ${dataDir}`,
    '',
    `  Next         ${next}`,
    '',
    '  Ctrl-C stops it.',
    '',
  ].join('\n');
}
