import 'server-only';
import { GatebookClientApp } from '@gatebook/next';

/** The session comes from the cookies of each request. With a secret server key, use GatebookServerApp. */
export const gatebook = new GatebookClientApp({
  baseUrl: process.env.NEXT_PUBLIC_GATEBOOK_API_URL ?? 'http://localhost:8102',
});
