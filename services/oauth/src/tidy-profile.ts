import type { ProviderProfile } from '@gatebook/commands/oauth/oauth-providers';
import { z } from 'zod';
import type { ToldProfile } from './provider.ts';

const longestAccountId = 255;
const longestName = 256;
const longestUrl = 2048;
/** As requests have it (RFC 3696, errata 1690). */
const longestEmail = 320;

/** Control characters, which no name needs, a log could be forged with, and Postgres does not take (U+0000). */
const control = /\p{Cc}/gu;

/** What a provider told, within limits; null without an account id that can be one. */
export function tidyProfile(told: ToldProfile): ProviderProfile | null {
  const accountId = String(told.accountId);
  if (accountId.trim() === '' || accountId.length > longestAccountId) return null;
  if (!accountId.isWellFormed() || accountId.search(control) !== -1) return null;
  const email = tidyEmail(told.email);
  return {
    accountId,
    displayName: tidyName(told.displayName),
    profileImageUrl: tidyImageUrl(told.profileImageUrl),
    email,
    isEmailVerified: email !== null && told.isEmailVerified === true,
  };
}

function tidyName(name: string | null | undefined): string | null {
  const shown = name?.toWellFormed().replace(control, '').trim() ?? '';
  if (shown === '') return null;
  if (shown.length <= longestName) return shown;
  const cut = shown.slice(0, longestName);
  // Not through the middle of a character of two units.
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trim();
}

function tidyEmail(email: string | null | undefined): string | null {
  const address = email?.trim() ?? '';
  return address.length <= longestEmail && z.regexes.html5Email.test(address) ? address : null;
}

function tidyImageUrl(url: string | null | undefined): string | null {
  if (!url || url.length > longestUrl || /\s/.test(url) || !url.isWellFormed() || !URL.canParse(url)) return null;
  const { protocol, username, password } = new URL(url);
  if (username || password) return null;
  return (protocol === 'https:' || protocol === 'http:') && url.search(control) === -1 ? url : null;
}
