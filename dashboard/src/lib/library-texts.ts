import {
  fillText,
  emailFault as findEmailFault,
  newPasswordFault as findPasswordFault,
  type Translate,
} from '@gatebook/js/core';
import { t } from '@lingui/core/macro';

/** What the client library says, which is in English. */
const texts: Readonly<Record<string, string>> = {
  'You seem to be offline. Check your connection and try again.': t`You seem to be offline. Check your connection and try again.`,
  'The server cannot be reached. It may be restarting. Try again in a moment.': t`The server cannot be reached. It may be restarting. Try again in a moment.`,
  'Your session has expired. Sign in again.': t`Your session has expired. Sign in again.`,
  'Something went wrong.': t`Something went wrong.`,
  'The server is busy. Wait a moment and try again.': t`The server is busy. Wait a moment and try again.`,
  'The server reported an error ({status}).': t`The server reported an error (${{ status: '{status}' }}).`,
  'The server reported an error ({status}). Request ID: {requestId}.': t`The server reported an error (${{ status: '{status}' }}). Request ID: ${{ requestId: '{requestId}' }}.`,
  'Enter a complete email address, like ann@example.com': t`Enter a complete email address, like ann@example.com`,
  'Use at least {min} characters': t`Use at least ${{ min: '{min}' }} characters`,
  'Use at most {max} characters': t`Use at most ${{ max: '{max}' }} characters`,
};

/** A text of the client library in the language of the dashboard. */
export const translateLibrary: Translate = (text, values) => fillText(texts[text] ?? text, values);

export function emailFault(email: string): string | null {
  const fault = findEmailFault(email);
  return fault === null ? null : translateLibrary(fault);
}
export const newPasswordFault = (password: string): string | null =>
  findPasswordFault(password, undefined, translateLibrary);
