import { createGatebookProxy } from '@gatebook/next/proxy';
import { gatebook } from './gatebook';

/** Visitors sign in first, and come back to the page that they asked for. */
export const proxy = createGatebookProxy(gatebook, { protect: ['/'] });

export const config = { matcher: '/((?!_next/|favicon.ico).*)' };
