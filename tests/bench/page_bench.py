#!/usr/bin/env python3
"""Measures the live page with a graph of 100,000 nodes in a browser without a window.

    page_bench.py --tensh build/tensh [--nodes 100000]

Prints the time from opening the link until the folded drawing is there, the frames in a second while it is panned, with a
few scopes open, and the time to open a scope. The browser draws without a GPU, so a real one is faster.
"""
import argparse
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'live'))
from browser import Browser  # noqa: E402
from film_test import Page  # noqa: E402

GRAPH = '''
x = tf.constant([1., 2.], name="x")
for b in range(20):
    with tf.name_scope("part%%d" %% b):
        for s in range(20):
            with tf.name_scope("layer%%d" %% s):
                y = x
                for k in range(%d): y = tf.add(y, y)
                x = y

'''
# The frames of two seconds in which each frame moves the drawing.
PAN = '''new Promise(done=>{
  const times=[],begin=performance.now();
  const frame=now=>{
    times.push(now);
    if(now-begin>2000)return done((times.length-1)*1000/(times[times.length-1]-times[0]));
    graph.pan(Math.sin(now/200)*9,Math.cos(now/200)*9);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})'''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--nodes', type=int, default=100_000)
    options = parser.parse_args()
    if not shutil.which('chromium'):
        sys.exit('no chromium; apt-get install chromium')
    profile = tempfile.mkdtemp()
    browser = Browser(profile)
    page = Page(os.path.abspath(options.tensh), browser)
    try:
        page.cell(GRAPH % (options.nodes // 400))
        page.until("document.querySelector('#graph .drawing-host[data-ready]')")
        opened = []
        for _ in range(3):
            page.open()
            page.until("document.querySelector('#graph .drawing-host[data-ready]')")
            opened.append(page.value("+document.querySelector('#graph .drawing-host').dataset.ready"))
        print('nodes                %d' % page.value('state.graph_nodes'))
        print('open the page        %.0f ms' % min(opened))
        print('pan, folded          %.0f frames/s' % page.value(PAN))
        print('open a node in a scope %.0f ms' % page.value(
            "(async()=>{const t=performance.now();await graph.show('part7/layer3/Add_77');return performance.now()-t})()"))
        page.value("graph.show('part3/layer9/Add_7')")
        print('pan, scopes open     %.0f frames/s, %d boxes' % (page.value(PAN), page.value("document.querySelectorAll('#graph .box').length")))
    finally:
        page.end()
        browser.end()
        shutil.rmtree(profile, ignore_errors=True)


if __name__ == '__main__':
    main()
