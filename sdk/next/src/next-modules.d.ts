/**
 * Next.js resolves these names differently for each of its environments. Node.js finds no such files, so `nodenext`
 * rejects the names.
 */
declare module 'next/headers' {
  export * from 'next/headers.js';
}
declare module 'next/navigation' {
  export * from 'next/navigation.js';
}
declare module 'next/server' {
  export * from 'next/server.js';
}
