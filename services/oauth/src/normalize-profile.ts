import type { ProviderProfile } from '@gatebook/commands/oauth/oauth-providers';
import { z } from 'zod';
import type { RawProfile } from './provider.ts';

const maxAccountIdLength = 255;
const maxNameLength = 256;
const maxUrlLength = 2048;
/** Same limit as in requests (RFC 3696, errata 1690). */
const maxEmailLength = 320;

/** Control characters: no name needs them, they could forge log lines, and Postgres rejects U+0000. */
const control = /\p{Cc}/gu;

/** Normalizes and limits the profile of a provider; null without a valid account ID. */
export function normalizeProfile(rawProfile: RawProfile): ProviderProfile | null {
  const accountId = String(rawProfile.accountId);
  if (accountId.trim() === '' || accountId.length > maxAccountIdLength) return null;
  if (!accountId.isWellFormed() || accountId.search(control) !== -1) return null;
  const email = normalizeEmail(rawProfile.email);
  return {
    accountId,
    displayName: normalizeName(rawProfile.displayName),
    profileImageUrl: normalizeImageUrl(rawProfile.profileImageUrl),
    email,
    isEmailVerified: email !== null && rawProfile.isEmailVerified === true,
  };
}

function normalizeName(name: string | null | undefined): string | null {
  const cleaned = name?.toWellFormed().replace(control, '').trim() ?? '';
  if (cleaned === '') return null;
  if (cleaned.length <= maxNameLength) return cleaned;
  const cut = cleaned.slice(0, maxNameLength);
  // Do not cut a surrogate pair.
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trim();
}

function normalizeEmail(email: string | null | undefined): string | null {
  const address = email?.trim() ?? '';
  return address.length <= maxEmailLength && z.regexes.html5Email.test(address) ? address : null;
}

function normalizeImageUrl(url: string | null | undefined): string | null {
  if (!url || url.length > maxUrlLength || /\s/.test(url) || !url.isWellFormed() || !URL.canParse(url)) return null;
  const { protocol, username, password } = new URL(url);
  if (username || password) return null;
  return (protocol === 'https:' || protocol === 'http:') && url.search(control) === -1 ? url : null;
}
