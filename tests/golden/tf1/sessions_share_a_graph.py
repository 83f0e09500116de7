# Two sessions on one graph: shared nodes, separate variables; a graph that outlives its sessions.
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    v = tf.Variable(10, name='v')
    add = tf.assign_add(v, 1)
    init = tf.global_variables_initializer()
one = tf.Session(graph=graph)
two = tf.Session(graph=graph)
for s in (one, two):
    s.run(init)
one.run(add)
one.run(add)
print(one.run(v), two.run(v))
with graph.as_default():
    late = v * 100
print(one.run(late), two.run(late))
one.close()
print(two.run(late))
three = tf.Session(graph=graph)
try:
    three.run(v)
except tf.errors.FailedPreconditionError as e:
    print('FailedPreconditionError')
three.run(init)
print(three.run(v), two.run(v), three.graph is two.graph is graph)
two.close()
three.close()
with tf.Session(graph=graph) as four:
    four.run(init)
    print(v.eval(), tf.get_default_graph() is graph)
    with tf.Session(graph=graph) as five:
        five.run(init)
        five.run(add)
        print(v.eval(), four.run(v))
print(tf.get_default_graph() is graph, tf.get_default_session())
