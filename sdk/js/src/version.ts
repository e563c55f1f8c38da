/** The format of (protocol, conventions §2). */
export const clientVersion = 'js @gatebook/js@0.1.0';
