import type { ReactNode } from 'react';

/** Texts of these pages besides those of `@gatebook/react`. The texts of the dashboard would be too large here. */
export type HandlerTexts = {
  setupTitle: string;
  setupLead: string;
  setupLink: string;
  setupNewLink: string;
  unavailable: string;
  trialTitle: string;
  trialOfMembers: ReactNode;
  trialNote: (origin: string, domainsHref: string) => ReactNode;
};

export const englishTexts: HandlerTexts = {
  setupTitle: 'Create the owner account',
  setupLead: 'This server is running and has no owner yet.',
  setupLink:
    'Open the setup link in the terminal where Gatebook was started. In a container, it is in the log. It looks like this:',
  setupNewLink: 'The link works once and for one day. To get a new one, restart Gatebook: it prints the link again.',
  unavailable: 'Sign-in is unavailable right now',
  trialTitle: 'You can’t try this sign-in',
  trialOfMembers: (
    <>
      Only members of the project can. <a href="/projects">Sign in to the dashboard</a>, then open the page again.
    </>
  ),
  trialNote: (origin, domainsHref) => (
    <>
      You are trying the sign-in of this project. A sign-up creates a user in it. Emailed links and codes, providers and
      passkeys work if {origin} is one of its{' '}
      <a className="gbh-link" href={domainsHref}>
        domains
      </a>
      .
    </>
  ),
};
