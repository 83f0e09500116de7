# Two sessions over one graph share its nodes but not its variables; the graph outlives both.
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    counter = tf.Variable(100, name='counter')
    more = tf.assign_add(counter, 1, name='more')
    init = tf.global_variables_initializer()

first, second = tf.Session(graph=graph), tf.Session(graph=graph)
first.run(init)
second.run(init)
for _ in range(3):
    first.run(more)
second.run(more)
print('first', first.run(counter), 'second', second.run(counter))

with graph.as_default():
    doubled = counter * 2  # both sessions see a node that is added now
print('doubled:', first.run(doubled), second.run(doubled))

first.close()
print('second is still open:', second.run(counter))
second.close()
with tf.Session(graph=graph) as third:
    third.run(init)
    print('a third starts afresh:', third.run(counter))
