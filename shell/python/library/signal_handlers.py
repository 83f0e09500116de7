"""signal: handlers are kept and never called; Ctrl-C stays KeyboardInterrupt."""
SIG_DFL, SIG_IGN = 0, 1
SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGFPE, SIGKILL, SIGUSR1, SIGSEGV, SIGUSR2 = 1, 2, 3, 4, 6, 8, 9, 10, 11, 12
SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGWINCH = 13, 14, 15, 17, 18, 19, 20, 28


def default_int_handler(*args):
    raise KeyboardInterrupt


_handlers = {SIGINT: default_int_handler}


def getsignal(signalnum):
    return _handlers.get(signalnum, SIG_DFL)


def signal(signalnum, handler):
    before = getsignal(signalnum)
    _handlers[signalnum] = handler
    return before


def siginterrupt(signalnum, flag):
    pass


def alarm(seconds):
    if seconds:
        raise NotImplementedError('tensh has no alarms. Compare time.time() in the loop')
    return 0


def pause():
    raise NotImplementedError('tensh cannot wait for signals. Use: time.sleep(SECONDS)')
