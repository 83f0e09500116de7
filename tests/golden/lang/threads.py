# threading, queue and concurrent.futures, as programs that wait for one another.
import concurrent.futures
import queue
import threading
import time

print('--- threads that share')
lock, total = threading.Lock(), [0]


def work(n):
    for _ in range(n):
        with lock:
            total[0] += 1


threads = [threading.Thread(target=work, args=(500,)) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(total, [t.is_alive() for t in threads], threads[0].name, threads[3].name)
print(threading.current_thread().name, threading.active_count(), threading.main_thread() is threading.current_thread())
named = threading.Thread(target=work, kwargs={'n': 1}, name='named', daemon=True)
print(named.name, named.daemon, named.is_alive(), named.ident)
named.start()
named.join(timeout=60)
print(named.is_alive(), total)
for wrong in (named.start, threading.Thread().join, lambda: setattr(named, 'daemon', False) if named.is_alive() else threading.current_thread().join()):
    try:
        wrong()
    except RuntimeError as e:
        print('RuntimeError', e)


class Counter(threading.Thread):
    def __init__(self, upto):
        super().__init__()
        self.upto, self.seen = upto, []

    def run(self):
        for i in range(self.upto):
            self.seen.append(i)


counter = Counter(4)
counter.start()
counter.join()
print(counter.seen, counter.name)

print('--- locks')
print(lock.acquire(), lock.locked(), lock.acquire(False), lock.acquire(timeout=0.01))
lock.release()
print(lock.locked(), lock.acquire(blocking=False))
lock.release()
try:
    lock.release()
except RuntimeError as e:
    print(e)
again = threading.RLock()
with again:
    with again:
        print('twice')
try:
    again.release()
except RuntimeError as e:
    print(e)
for arguments in ((False, 1), (True, -2)):
    try:
        lock.acquire(*arguments)
    except ValueError as e:
        print('ValueError', e)

print('--- events, conditions, semaphores, barriers')
event = threading.Event()
log = []


def waiter():
    log.append(event.wait(60))


t = threading.Thread(target=waiter)
t.start()
print(event.is_set(), event.wait(0.01))
event.set()
t.join()
print(log, event.is_set(), event.wait())
event.clear()
print(event.is_set())
condition, items = threading.Condition(), []


def consumer():
    with condition:
        while len(items) < 3:
            condition.wait()
        log.append(sum(items))


t = threading.Thread(target=consumer)
t.start()
for i in (1, 2, 3):
    with condition:
        items.append(i)
        condition.notify_all()
t.join()
print(log)
with condition:
    print(condition.wait(0.01), condition.wait_for(lambda: items, timeout=1))
try:
    condition.notify()
except RuntimeError as e:
    print(e)
semaphore = threading.BoundedSemaphore(2)
print(semaphore.acquire(), semaphore.acquire(), semaphore.acquire(blocking=False))
semaphore.release()
semaphore.release()
try:
    semaphore.release()
except ValueError as e:
    print(e)
barrier, met = threading.Barrier(3), []


def meet():
    met.append(barrier.wait(60))


threads = [threading.Thread(target=meet) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(met), barrier.n_waiting, barrier.parties)
timer = threading.Timer(0.01, log.append, args=['timer'])
timer.start()
timer.join()
never = threading.Timer(60, log.append, ['never'])
never.start()
never.cancel()
never.join()
print(log)
own = threading.local()
own.value = 'main'


def look():
    log.append(hasattr(own, 'value'))
    own.value = 'thread'


t = threading.Thread(target=look)
t.start()
t.join()
print(log[-1], own.value)

print('--- queues')
q, got = queue.Queue(maxsize=2), []


def produce():
    for i in range(6):
        q.put(i)
    q.put(None)


def take():
    while True:
        item = q.get()
        q.task_done()
        if item is None:
            return
        got.append(item)


threads = [threading.Thread(target=produce), threading.Thread(target=take)]
for t in threads:
    t.start()
q.join()
for t in threads:
    t.join()
print(got, q.empty(), q.qsize(), q.full())
try:
    q.get(timeout=0.01)
except queue.Empty as e:
    print('Empty', repr(e))
try:
    q.get_nowait()
except queue.Empty:
    print('Empty')
q.put(1)
q.put(2)
try:
    q.put_nowait(3)
except queue.Full:
    print('Full', q.full())
last, least = queue.LifoQueue(), queue.PriorityQueue()
for n in (3, 1, 2):
    last.put(n)
    least.put((n, str(n)))
print([last.get() for _ in range(3)], [least.get() for _ in range(3)])

print('--- calls that threads make')
with concurrent.futures.ThreadPoolExecutor(max_workers=3) as pool:
    print(list(pool.map(lambda x: x * x, range(6))))
    futures = {pool.submit(pow, 2, n): n for n in range(4)}
    print(sorted((futures[f], f.result()) for f in concurrent.futures.as_completed(futures)))
    bad = pool.submit(lambda: 1 / 0)
    print(repr(bad.exception()), bad.done(), bad.cancelled())
    try:
        bad.result()
    except ZeroDivisionError as e:
        print(e)
    done, waiting = concurrent.futures.wait([pool.submit(int, '7')])
    print(len(done), len(waiting), done.pop().result())

print('--- taking turns')
stop, steps = [], [0, 0]


def spin(i):
    while not stop:
        steps[i] += 1


threads = [threading.Thread(target=spin, args=(i,)) for i in range(2)]
for t in threads:
    t.start()
while min(steps) < 100:
    time.sleep(0.001)
stop.append(True)
for t in threads:
    t.join()
print('both went on')


def late():
    time.sleep(0.05)
    print('a thread outlives the script')


threading.Thread(target=late).start()
print('the end of the script')
