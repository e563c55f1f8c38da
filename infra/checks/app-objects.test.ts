import { testAppObjects } from './compatibility/own-apps.ts';

/** All but what takes a browser, which the campaign tests. */
await testAppObjects({ inBrowser: false });
