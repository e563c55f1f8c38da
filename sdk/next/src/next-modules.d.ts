/** Next.js resolves these names for each of its environments. To Node.js they are no files, so nodenext rejects them. */
declare module 'next/headers' {
  export * from 'next/headers.js';
}
declare module 'next/navigation' {
  export * from 'next/navigation.js';
}
declare module 'next/server' {
  export * from 'next/server.js';
}
